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

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/mcp-decide/mcp-decide/decide"
)

//go:embed migrations/sqlite/*.sql
var migrations embed.FS

// ErrNewer says that the store was made by a newer version of this program.
var ErrNewer = errors.New("the store was made by a newer version of this program: run that one, or restart this one when it is updated")

// readers is how many reads of one process go on at the same time.
const readers = 4

// sqlite is one SQLite file, with the lock beside it.
type sqlite struct {
	writing *sql.DB // one connection
	reading *sql.DB
	lock    *fileLock
	lives   *lives
	schema  int64 // the version that this program knows
}

// openSQLite opens the file, makes it when it is not there, and brings it up to date.
func openSQLite(ctx context.Context, path string) (*sqlite, error) {
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	lock, err := openLock(path + ".lock")
	if err != nil {
		return nil, err
	}
	s := &sqlite{lock: lock}
	if err := s.open(ctx, path); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// prepareFile makes the folder and the file, so that nobody else can read them, whatever the umask is.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the folder of the store: %w", err)
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
	query := url.Values{"_txlock": {"immediate"}}
	for _, p := range append([]string{"busy_timeout(5000)", "foreign_keys(1)", "journal_mode(WAL)", "trusted_schema(0)"}, pragmas...) {
		query.Add("_pragma", p)
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String() + "?" + query.Encode()
}

func (s *sqlite) open(ctx context.Context, path string) (err error) {
	if err := s.lock.take(); err != nil {
		return fmt.Errorf("opening the store %s: %w", path, err)
	}
	defer s.lock.release()
	if s.writing, err = sql.Open("sqlite", dataSource(path)); err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	s.writing.SetMaxOpenConns(1)
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
	is, err := steps.GetDBVersion(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("reading its version: %w", unreadable(err))
	case is > s.schema:
		return ErrNewer
	case is == s.schema:
		return nil
	}
	if _, err := steps.Up(ctx); err != nil {
		return fmt.Errorf("bringing it up to date: %w", err)
	}
	return nil
}

// begin takes the lock and opens a transaction of a class. The version is looked at each time: another process may have brought
// the file to a newer one.
func (s *sqlite) begin(class decide.Class) (_ *sql.Tx, err error) {
	if err := s.lock.take(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.lock.release()
		}
	}()
	ctx := context.Background()
	level := "NORMAL"
	if class >= decide.Power {
		level = "FULL"
	}
	if _, err := s.writing.ExecContext(ctx, "PRAGMA synchronous = "+level); err != nil {
		return nil, fmt.Errorf("setting how durable a transaction is: %w", err)
	}
	tx, err := s.writing.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("beginning a transaction: %w", unreadable(err))
	}
	var is int64
	err = tx.QueryRowContext(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied").Scan(&is)
	switch {
	case err != nil:
		return nil, errors.Join(fmt.Errorf("reading the version of the store: %w", unreadable(err)), undo(tx))
	case is > s.schema:
		return nil, errors.Join(ErrNewer, undo(tx))
	}
	return tx, nil
}

// end lets the lock go.
func (s *sqlite) end() { s.lock.release() }

func (s *sqlite) close() error {
	var errs []error
	for _, db := range []*sql.DB{s.reading, s.writing} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.lives != nil {
		errs = append(errs, s.lives.end())
	}
	return errors.Join(append(errs, s.lock.close())...)
}

// unreadable adds what to do to the errors of a file that is no database, or a damaged one.
func unreadable(err error) error {
	var code interface{ Code() int }
	if !errors.As(err, &code) {
		return err
	}
	const corrupt, notADatabase = 11, 26
	switch code.Code() & 0xff {
	case corrupt:
		return fmt.Errorf("the file is damaged: keep a copy of it, and put a backup in its place or name another file: %w", err)
	case notADatabase:
		return fmt.Errorf("the file is no SQLite database: name another file: %w", err)
	}
	return err
}
