package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// begins is how every file of SQLite begins, once something is in it.
const begins = "SQLite format 3\x00"

// suits refuses what can be no store, before anything is made beside it: a slip in a path must not leave files in the folder of something else.
func suits(path string) error {
	switch info, err := os.Stat(path); {
	case err != nil:
		return nil // there is none yet, or opening it says why not
	case info.IsDir():
		return fmt.Errorf("the store %s: that is a directory: name a file in it", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("the store %s: that is no file: name another one", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer f.Close()
	head := make([]byte, len(begins))
	switch n, err := io.ReadFull(f, head); {
	case n == 0:
		return nil // made, and nothing written
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("reading the store %s: %w", path, err)
	case string(head[:n]) != begins:
		return fmt.Errorf("the store %s: %w", path, errNoDatabase)
	}
	return nil
}

var errNoDatabase = errors.New("the file is no SQLite database: name another file")

// ours refuses the database of another program, before it is changed: to open a store sets how its log is kept. It is called under the lock.
func ours(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", plainSource(path))
	if err != nil {
		return fmt.Errorf("opening it: %w", err)
	}
	return errors.Join(noOthers(ctx, db), db.Close())
}

// hasLog reports whether a database has a log beside it, as a store has once it was opened. Then it is looked at without another connection, whose end
// would be the end of that log.
func hasLog(path string) bool {
	const at, log = 18, 2 // where the file says so, and how
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [1]byte
	n, _ := f.ReadAt(b[:], at)
	return n == 1 && b[0] == log
}

// noOthers refuses a database that has tables, and none of ours. What is left of a beginning of ours that was killed has at most the table in which the
// steps are counted.
func noOthers(ctx context.Context, db *sql.DB) error {
	const query = `SELECT coalesce(group_concat(name, ', '), '') FROM (SELECT name FROM sqlite_schema
		WHERE type = 'table' AND name <> 'goose_db_version' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
		AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'turns') ORDER BY name LIMIT 3)`
	var names string
	if err := db.QueryRowContext(ctx, query).Scan(&names); err != nil {
		return fmt.Errorf("reading it: %w", unreadable(err))
	}
	if names == "" {
		return nil
	}
	return fmt.Errorf("it is the database of another program, with tables such as %s: name another file", strings.ToValidUTF8(names, "\uFFFD"))
}
