package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/mcp-decide/mcp-decide/decide"
)

//go:embed migrations/sqlite/*.sql
var migrations embed.FS

// ErrNewer says that the store was made by a newer version of this program.
var ErrNewer error = said("the store was made by a newer version of this program: run that one, or restart this one when it is updated")

// readers is how many reads of one process go on at the same time.
const readers = 4

// sqlite is one SQLite database: a file, with the lock beside it, or one in memory.
type sqlite struct {
	writing *sql.DB // one connection
	reading *sql.DB
	lock    *fileLock // nil in memory: nobody else is there
	lives   *lives    // nil in memory
	file    *stays    // nil in memory
	schema  int64     // the version that this program knows

	prepared *prepared // statements of writing
	reads    *preparedReads
	durable  string // how durable its transactions are now; "" = not known, which is the most
}

// openSQLite opens the file, makes it when it is not there, and brings it up to date.
func openSQLite(ctx context.Context, named string) (*sqlite, error) {
	path := followed(named)
	if err := prepareFile(named, path); err != nil {
		return nil, err
	}
	lock, err := openLock(path + ".lock")
	if err != nil {
		return nil, err
	}
	s := &sqlite{lock: lock}
	err = s.open(ctx, path)
	if err == nil {
		s.file, err = staysAt(named)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// openMemory makes a database that ends with the process. Its only connection is for reading and writing.
func openMemory(ctx context.Context) (*sqlite, error) {
	s := &sqlite{}
	var err error
	if s.writing, err = sql.Open("sqlite", dataSource(":memory:")); err != nil {
		return nil, fmt.Errorf("making a store in memory: %w", err)
	}
	s.writing.SetMaxOpenConns(1)
	s.prepared = newPrepared(s.writing)
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("making a store in memory: %w", err), s.close())
	}
	return s, nil
}

func (s *sqlite) database(name string) *database {
	d := &database{
		name: name, reading: s.reading, tables: plainTables, lanes: 1, begin: s.begin, close: s.close, now: time.Now,
		again: func(error, int) bool { return false }, explain: unreadable,
		owner: func() string { return "" },
		alive: func(string) (bool, error) { return true, nil },
	}
	if s.reading == nil {
		d.reading = s.writing
	}
	s.reads = newPreparedReads(d.reading)
	d.reads = s.reads
	if s.lives != nil {
		d.owner, d.alive = func() string { return s.lives.self }, s.lives.alive
	}
	return d
}

// plainTables are the names of the tables where nothing else is.
var plainTables = strings.NewReplacer("{", "", "}", "")

// prepareFile makes the folder of what was named, and the file, so that nobody else can read them, whatever the umask is.
func prepareFile(named, path string) error {
	if err := suits(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(named), 0o700); err != nil {
		return fmt.Errorf("making the folder of the store: %w", err)
	}
	if err := gone(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	return nil
}

// dataSource names the file with the settings that every connection needs.
func dataSource(path string, pragmas ...string) string {
	return plainSource(path, append([]string{"foreign_keys(1)", "journal_mode(WAL)"}, pragmas...)...)
}

// plainSource names the file with those settings alone that leave it as it is.
func plainSource(path string, pragmas ...string) string {
	query := url.Values{"_txlock": {"immediate"}}
	for _, p := range append([]string{"busy_timeout(5000)", "trusted_schema(0)"}, pragmas...) {
		query.Add("_pragma", p)
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String() + "?" + query.Encode()
}

func (s *sqlite) open(ctx context.Context, path string) (err error) {
	if err := s.lock.take(); err != nil {
		return fmt.Errorf("opening the store %s: %w", path, err)
	}
	defer s.lock.release()
	if !hasLog(path) {
		if err := ours(ctx, path); err != nil {
			return fmt.Errorf("the store %s: %w", path, err)
		}
	}
	if s.writing, err = sql.Open("sqlite", dataSource(path)); err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	s.writing.SetMaxOpenConns(1)
	s.prepared = newPrepared(s.writing)
	if err := s.migrate(ctx); err != nil {
		return fmt.Errorf("the store %s: %w", path, err)
	}
	if s.reading, err = sql.Open("sqlite", dataSource(path, "query_only(1)")); err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	s.reading.SetMaxOpenConns(readers)
	s.reading.SetMaxIdleConns(readers)
	if err := s.reading.PingContext(ctx); err != nil {
		return fmt.Errorf("reading the store %s: %w", path, err)
	}
	s.lives, err = beginLife(path + ".lives")
	return err
}

// migrate brings the tables up to date, each step in a transaction of its own: one that is killed midway is begun again by the next
// process.
func (s *sqlite) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return err
	}
	steps, err := goose.NewProvider(goose.DialectSQLite3, s.writing, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("reading the steps that bring it up to date: %w", err)
	}
	sources := steps.ListSources()
	s.schema = sources[len(sources)-1].Version
	if err := noOthers(ctx, s.writing); err != nil {
		return err
	}
	var tables int
	if err := s.writing.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'goose_db_version'").Scan(&tables); err != nil {
		return fmt.Errorf("reading it: %w", unreadable(err))
	}
	if tables > 0 {
		is, err := version(s.writing.QueryRowContext(ctx, versionQuery))
		switch {
		case err != nil:
			return fmt.Errorf("reading its version: %w", unreadable(err))
		case is > s.schema:
			return ErrNewer
		case is == s.schema:
			return nil
		}
	}
	if _, err := steps.Up(ctx); err != nil {
		return fmt.Errorf("bringing it up to date: %w", err)
	}
	return nil
}

const versionQuery = "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied"

func version(row *sql.Row) (is int64, err error) {
	err = row.Scan(&is)
	return is, err
}

// begin takes the lock and opens a transaction of a class. The version is looked at each time: another process may have brought
// the file to a newer one.
func (s *sqlite) begin(class decide.Class) (_ *transaction, err error) {
	if err := s.take(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	if err := s.file.check(); err != nil {
		return nil, err
	}
	ctx := context.Background()
	if err := s.level(ctx, class); err != nil {
		return nil, fmt.Errorf("setting how durable a transaction is: %w", err)
	}
	s.prepared.learn(ctx)
	tx, err := s.writing.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("beginning a transaction: %w", unreadable(err))
	}
	known := &preparedTx{tx, s.prepared}
	is, err := version(known.QueryRowContext(ctx, versionQuery))
	switch {
	case err != nil:
		return nil, errors.Join(fmt.Errorf("reading the version of the store: %w", unreadable(err)), rollback(tx))
	case is > s.schema:
		return nil, errors.Join(ErrNewer, rollback(tx))
	}
	return &transaction{statements: known, ctx: ctx, tables: plainTables, commit: func() error { return s.commit(tx) }, undo: func() error { return s.undo(tx) }}, nil
}

// level says how durable the next transaction is, unless the one before was just as durable.
func (s *sqlite) level(ctx context.Context, class decide.Class) error {
	level := "NORMAL"
	if class >= decide.Power {
		level = "FULL"
	}
	if level == s.durable {
		return nil
	}
	s.durable = "" // should it fail
	if _, err := s.writing.ExecContext(ctx, "PRAGMA synchronous = "+level); err != nil {
		return err
	}
	s.durable = level
	return nil
}

func (s *sqlite) commit(tx *sql.Tx) error {
	defer s.release()
	if err := tx.Commit(); err != nil {
		return errors.Join(fmt.Errorf("committing: %w", err), rollback(tx))
	}
	return nil
}

func (s *sqlite) undo(tx *sql.Tx) error {
	defer s.release()
	return rollback(tx)
}

// rollback rolls back, unless that has happened already.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return fmt.Errorf("rolling back: %w", err)
	}
	return nil
}

func (s *sqlite) take() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.take()
}

func (s *sqlite) release() {
	if s.lock != nil {
		s.lock.release()
	}
}

func (s *sqlite) close() error {
	var errs []error
	if s.prepared != nil {
		s.prepared.close()
	}
	if s.reads != nil {
		s.reads.close()
	}
	for _, db := range []*sql.DB{s.reading, s.writing} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.lives != nil {
		errs = append(errs, s.lives.end())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.close())
	}
	return errors.Join(errs...)
}

// unreadable adds what to do to the errors of a file that is no database, or a damaged one.
func unreadable(err error) error {
	var code interface{ Code() int }
	if isAdvised(err) || !errors.As(err, &code) {
		return err
	}
	const ioError, corrupt, full, notADatabase = 10, 11, 13, 26
	switch code.Code() & 0xff {
	case ioError:
		return advise("the file can't be read or written: see whether a limit or a quota is reached, and whether the disk is sound", err)
	case full:
		return advise("the disk is full: make room on it", err)
	case corrupt:
		return advise("the file is damaged: keep a copy of it, and put a backup in its place or name another file", err)
	case notADatabase:
		return advise("the file is no SQLite database: name another file", err)
	}
	return err
}
