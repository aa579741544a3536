-- +goose Up
CREATE TABLE settings (
    name  TEXT  PRIMARY KEY,
    value BYTEA NOT NULL
);

CREATE TABLE turns (
    id        TEXT     NOT NULL,
    principal TEXT     NOT NULL,
    config    TEXT     NOT NULL,
    state     TEXT     NOT NULL,
    round     BIGINT   NOT NULL,
    version   BIGINT   NOT NULL,
    expires   BIGINT   NOT NULL, -- microseconds since 1970
    live      SMALLINT NOT NULL, -- 1 while it counts against its principal's limit
    kept      SMALLINT NOT NULL, -- 1 while nobody may delete it, however long its time is over
    data      BYTEA              -- never looked into
);
CREATE UNIQUE INDEX turns_id ON turns (id);
CREATE INDEX turns_live ON turns (principal) WHERE live = 1;
CREATE INDEX turns_over ON turns (expires) WHERE kept = 0;

-- +goose Down
DROP TABLE turns;
DROP TABLE settings;
