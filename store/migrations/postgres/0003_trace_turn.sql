-- +goose Up
ALTER TABLE traces
    ADD COLUMN turn   TEXT   NOT NULL DEFAULT '', -- the id of the turn, without the round
    ADD COLUMN root   TEXT   NOT NULL DEFAULT '', -- the record with which all of it began; '' = this one
    ADD COLUMN parent TEXT   NOT NULL DEFAULT '', -- the record in whose run it happened
    ADD COLUMN era    TEXT   NOT NULL DEFAULT '', -- the version of the protocol
    ADD COLUMN size   BIGINT NOT NULL DEFAULT 0;  -- bytes that it takes, about

UPDATE traces SET size = octet_length(record) + 400;

-- One index is enough for the filters: its columns behind the time are looked at without the records, and the newest come first.
DROP INDEX traces_time;
CREATE INDEX traces_time     ON traces (time, decision, method, state, era);
CREATE INDEX traces_turn     ON traces (turn, time) WHERE turn <> '';
CREATE INDEX traces_root     ON traces (root, time) WHERE root <> '';
CREATE INDEX traces_parent   ON traces (parent, time) WHERE parent <> '';

-- What all take together is counted in it, without the records.
DROP INDEX traces_came;
CREATE INDEX traces_came ON traces (came, size);

-- +goose Down
DROP INDEX traces_time;
CREATE INDEX traces_time ON traces (time);
DROP INDEX traces_turn;
DROP INDEX traces_root;
DROP INDEX traces_parent;
DROP INDEX traces_came;
CREATE INDEX traces_came ON traces (came);
ALTER TABLE traces DROP COLUMN turn, DROP COLUMN root, DROP COLUMN parent, DROP COLUMN era, DROP COLUMN size;
