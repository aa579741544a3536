-- +goose Up
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE turns (
    id        TEXT    NOT NULL,
    principal TEXT    NOT NULL,
    config    TEXT    NOT NULL,
    state     TEXT    NOT NULL,
    round     INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    expires   INTEGER NOT NULL, -- microseconds since 1970
    live      INTEGER NOT NULL, -- 1 while it counts against its principal's limit
    kept      INTEGER NOT NULL, -- 1 while nobody may delete it, however long its time is over
    data      BLOB              -- never looked into
);
CREATE UNIQUE INDEX turns_id ON turns (id);
CREATE INDEX turns_live ON turns (principal) WHERE live = 1;
CREATE INDEX turns_over ON turns (expires) WHERE kept = 0;

-- +goose Down
DROP TABLE turns;
DROP TABLE settings;
