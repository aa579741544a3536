package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
)

// database is what is different in each database. All else is one text of SQL, with $1 for the first argument and {turns} for the
// table turns.
type database struct {
	name    string // for logs
	reading *sql.DB
	reads   *preparedReads    // of reading; nil = the driver prepares by itself
	tables  *strings.Replacer // from {turns} to the table's name
	lanes   int               // transactions that a process has open at the same time

	begin func(decide.Class) (*transaction, error)

	// again reports whether a transaction that failed with err, and whose commit was not sent, may be run once more. tries is how often it was.
	again func(err error, tries int) bool

	// explain adds what to do to an error of this database.
	explain func(error) error

	now   func() time.Time
	owner func() string              // the name of this process
	alive func(string) (bool, error) // whether the process of a name lives
	close func() error
}

// statements are what a transaction offers to those who write in it.
type statements interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// transaction is an open one. Either commit or undo ends it; an error of either has ended it too.
type transaction struct {
	statements
	ctx    context.Context // of all that is done in it: what is begun is not called off by who asked for it
	tables *strings.Replacer
	commit func() error
	undo   func() error
}

// query reads, outside of any transaction.
func (d *database) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	text, args = d.tables.Replace(text), plainArgs(args)
	if d.reads != nil {
		if s := d.reads.statement(ctx, text); s != nil {
			return s.QueryContext(ctx, args...)
		}
	}
	return d.reading.QueryContext(ctx, text, args...)
}

// row reads one row, outside of any transaction.
func (d *database) row(ctx context.Context, text string, args ...any) *sql.Row {
	text, args = d.tables.Replace(text), plainArgs(args)
	if d.reads != nil {
		if s := d.reads.statement(ctx, text); s != nil {
			return s.QueryRowContext(ctx, args...)
		}
	}
	return d.reading.QueryRowContext(ctx, text, args...)
}

// advised is an error that says what to do. It is said once, wherever the error comes by.
type advised struct {
	error
	text string
}

// advise says what to do about an error. The text may be shown to strangers, the error may not.
func advise(text string, err error) error {
	return &advised{fmt.Errorf("%s: %w", text, err), text}
}

// Public is what strangers may know.
func (a *advised) Public() string { return a.text }

func (a *advised) Unwrap() error { return a.error }

// said is an error without anything behind it, which strangers may know.
type said string

func (s said) Error() string  { return string(s) }
func (s said) Public() string { return string(s) }

func isAdvised(err error) bool {
	var done *advised
	return errors.As(err, &done)
}
