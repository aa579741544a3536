-- +goose Up
CREATE TABLE traces (
    rowid    BIGINT GENERATED ALWAYS AS IDENTITY, -- in the order in which they came
    id       TEXT   NOT NULL,
    time     BIGINT NOT NULL, -- microseconds since 1970, as the record says
    came     BIGINT NOT NULL, -- microseconds since 1970, by which it ages
    decision TEXT   NOT NULL,
    method   TEXT   NOT NULL,
    state    TEXT   NOT NULL,
    record   BYTEA  NOT NULL  -- the record as JSON
);
CREATE UNIQUE INDEX traces_rowid ON traces (rowid);
CREATE UNIQUE INDEX traces_id ON traces (id);
CREATE INDEX traces_time ON traces (time);
CREATE INDEX traces_came ON traces (came);

-- +goose Down
DROP TABLE traces;
