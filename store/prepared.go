package store

import (
	"context"
	"database/sql"
	"regexp"
	"strconv"
	"sync"
)

// prepared knows the statements of one connection that were used before, so that the database reads none of them twice. One that is new is run as
// it is, and prepared between two transactions: the connection is busy until then. One goroutine at a time may use it.
type prepared struct {
	db    *sql.DB // of one connection
	known map[string]*sql.Stmt
	fresh []string
}

// maxPrepared bounds the statements that are kept; there are some dozens.
const maxPrepared = 200

func newPrepared(db *sql.DB) *prepared { return &prepared{db: db, known: map[string]*sql.Stmt{}} }

// learn prepares what was new in the last transaction. One that can't be prepared stays as it is.
func (p *prepared) learn(ctx context.Context) {
	for _, text := range p.fresh {
		if p.known[text] == nil && len(p.known) < maxPrepared {
			if s, err := p.db.PrepareContext(ctx, unnumbered(text)); err == nil {
				p.known[text] = s
			}
		}
	}
	p.fresh = p.fresh[:0]
}

// in is the statement in a transaction; nil when it is new.
func (p *prepared) in(ctx context.Context, tx *sql.Tx, text string) *sql.Stmt {
	s := p.known[text]
	if s == nil {
		p.fresh = append(p.fresh, text)
		return nil
	}
	return tx.StmtContext(ctx, s)
}

// close lets the statements go.
func (p *prepared) close() {
	for _, s := range p.known {
		_ = s.Close() // the connection is closed next
	}
}

var numbered = regexp.MustCompile(`\$\d+`)

// unnumbered is a statement whose arguments are marked by their order alone, if that is the order of their numbers: SQLite looks the name of a numbered
// one up among all of them each time it is bound.
func unnumbered(text string) string {
	for i, mark := range numbered.FindAllString(text, -1) {
		if mark != "$"+strconv.Itoa(i+1) {
			return text
		}
	}
	return numbered.ReplaceAllString(text, "?")
}

// preparedTx is a transaction whose statements are prepared where that was possible.
type preparedTx struct {
	tx *sql.Tx
	p  *prepared
}

func (t *preparedTx) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if s := t.p.in(ctx, t.tx, text); s != nil {
		return s.ExecContext(ctx, args...)
	}
	return t.tx.ExecContext(ctx, text, args...)
}

func (t *preparedTx) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if s := t.p.in(ctx, t.tx, text); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return t.tx.QueryContext(ctx, text, args...)
}

func (t *preparedTx) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	if s := t.p.in(ctx, t.tx, text); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return t.tx.QueryRowContext(ctx, text, args...)
}

// preparedReads knows the statements that are read with outside of transactions, on any of several connections. Many goroutines may use it.
type preparedReads struct {
	db    *sql.DB
	mu    sync.RWMutex
	known map[string]*sql.Stmt
}

func newPreparedReads(db *sql.DB) *preparedReads {
	return &preparedReads{db: db, known: map[string]*sql.Stmt{}}
}

// statement is a prepared one; nil when it can't be had, so that the text itself is to be used.
func (p *preparedReads) statement(ctx context.Context, text string) *sql.Stmt {
	p.mu.RLock()
	s, full := p.known[text], len(p.known) >= maxPrepared
	p.mu.RUnlock()
	if s != nil || full {
		return s
	}
	s, err := p.db.PrepareContext(ctx, unnumbered(text))
	if err != nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if other := p.known[text]; other != nil {
		_ = s.Close() // somebody else was faster
		return other
	}
	p.known[text] = s
	return s
}

// close lets the statements go.
func (p *preparedReads) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.known {
		_ = s.Close() // the connections are closed next
	}
	clear(p.known)
}
