-- +goose Up
CREATE TABLE calls (
    id        TEXT     NOT NULL,
    principal TEXT     NOT NULL,
    config    TEXT     NOT NULL,
    key       TEXT     NOT NULL, -- '' = the call is one of its own
    turn      TEXT     NOT NULL, -- '' = it was picked in none
    method    TEXT     NOT NULL,
    state     TEXT     NOT NULL,
    owner     TEXT     NOT NULL,
    released  SMALLINT NOT NULL,
    version   BIGINT   NOT NULL,
    began     BIGINT   NOT NULL, -- microseconds since 1970
    expires   BIGINT   NOT NULL, -- microseconds since 1970; 0 = not kept once it is final
    final     SMALLINT NOT NULL, -- 1 once it can't change any more
    data      BYTEA              -- never looked into
);
CREATE UNIQUE INDEX calls_id ON calls (id);
CREATE UNIQUE INDEX calls_key ON calls (principal, config, key) WHERE key <> '';
CREATE INDEX calls_state ON calls (state);
CREATE INDEX calls_over ON calls (expires) WHERE final = 1;

-- +goose Down
DROP TABLE calls;
