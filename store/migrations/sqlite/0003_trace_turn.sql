-- +goose Up
ALTER TABLE traces ADD COLUMN turn   TEXT    NOT NULL DEFAULT ''; -- the id of the turn, without the round
ALTER TABLE traces ADD COLUMN root   TEXT    NOT NULL DEFAULT ''; -- the record with which all of it began; '' = this one
ALTER TABLE traces ADD COLUMN parent TEXT    NOT NULL DEFAULT ''; -- the record in whose run it happened
ALTER TABLE traces ADD COLUMN era    TEXT    NOT NULL DEFAULT ''; -- the version of the protocol
ALTER TABLE traces ADD COLUMN size   INTEGER NOT NULL DEFAULT 0;  -- bytes that it takes, about

UPDATE traces SET
    turn = CASE WHEN json_valid(CAST(record AS TEXT)) THEN coalesce(json_extract(CAST(record AS TEXT), '$.turn'), '') ELSE '' END,
    size = length(record) + 400;
UPDATE traces SET turn = rtrim(rtrim(turn, '0123456789'), '-') WHERE turn GLOB '*-[0-9]*';

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
ALTER TABLE traces DROP COLUMN turn;
ALTER TABLE traces DROP COLUMN root;
ALTER TABLE traces DROP COLUMN parent;
ALTER TABLE traces DROP COLUMN era;
ALTER TABLE traces DROP COLUMN size;
