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

-- Each is for one filter, newest first; the columns behind the time let the others be looked at without the record.
CREATE INDEX traces_decision ON traces (decision, time, method, state, era);
CREATE INDEX traces_method   ON traces (method, time, decision, state, era);
CREATE INDEX traces_state    ON traces (state, time, decision, method, era);
CREATE INDEX traces_era      ON traces (era, time, decision, method, state);
CREATE INDEX traces_turn     ON traces (turn, time) WHERE turn <> '';
CREATE INDEX traces_root     ON traces (root, time) WHERE root <> '';
CREATE INDEX traces_parent   ON traces (parent, time) WHERE parent <> '';

-- What all take together is counted in it, without the records.
DROP INDEX traces_came;
CREATE INDEX traces_came ON traces (came, size);

-- +goose Down
DROP INDEX traces_decision;
DROP INDEX traces_method;
DROP INDEX traces_state;
DROP INDEX traces_era;
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
