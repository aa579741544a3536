package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/mcp-decide/mcp-decide/decide"
)

// Errors of a store in PostgreSQL.
var (
	// ErrDoubt says that the connection broke after the end of a transaction was sent and before its answer came.
	ErrDoubt error = said("it is not known whether this was written: the connection to PostgreSQL broke at the end of the transaction")

	// ErrLifeless says that the other processes take this one for dead, since the connection broke that is its sign of life. It is made
	// again as soon as PostgreSQL can be reached.
	ErrLifeless error = said("this process has lost its sign of life in PostgreSQL, and begins nothing until it has it again")
)

// pgTransaction is how long a transaction takes at most, all attempts to reach the database included.
const pgTransaction = 20 * time.Second

// prepare writes down how the transactions of each class begin: in one message, so that it is one way to the server and back. A process
// that is stopped in the middle of a transaction must not hold its rows for ever, so the server ends it.
func (p *postgres) prepare(ctx context.Context) error {
	var level string
	if err := p.db.QueryRowContext(ctx, "SHOW synchronous_commit").Scan(&level); err != nil {
		return err
	}
	if level != "remote_apply" { // which promises more
		level = "on"
	}
	for class, commit := range map[decide.Class]string{decide.Trail: "off", decide.Kill: "off", decide.Power: level} {
		p.begins[class] = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE" +
			"; SET LOCAL synchronous_commit = " + commit +
			"; SET LOCAL lock_timeout = '5s'; SET LOCAL statement_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '10s'" +
			p.tables.Replace("; SELECT max(version_id)") + ", " + p.lifeless(class) + p.tables.Replace(" FROM {goose_db_version} WHERE is_applied")
	}
	return nil
}

// lifeless asks whether nobody holds our sign of life. What is begun in a transaction of class Power may have effects, so others
// must not take this process for dead.
func (p *postgres) lifeless(class decide.Class) string {
	if class < decide.Power {
		return "false"
	}
	return fmt.Sprintf("pg_try_advisory_xact_lock_shared(%d)", lifeKey(p.life.self))
}

// begin opens a transaction of a class.
func (p *postgres) begin(class decide.Class) (_ *transaction, err error) {
	ctx, done := context.WithTimeout(context.Background(), pgTransaction)
	conn, err := p.db.Conn(ctx)
	if err != nil {
		done()
		return nil, explained(err)
	}
	t := &pgTx{Conn: conn, ctx: ctx, done: done}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.undo())
		}
	}()
	results, err := t.send(ctx, p.begins[class])
	if err != nil {
		return nil, fmt.Errorf("beginning a transaction: %w", explained(err))
	}
	last := results[len(results)-1].Rows
	if len(last) != 1 || len(last[0]) != 2 {
		return nil, errors.New("beginning a transaction: PostgreSQL does not say which version the store has")
	}
	is, err := strconv.ParseInt(string(last[0][0]), 10, 64)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the version of the store: %w", err)
	case is > p.version:
		return nil, ErrNewer
	case string(last[0][1]) == "t":
		return nil, ErrLifeless
	}
	return &transaction{statements: conn, ctx: ctx, tables: p.tables, commit: t.commit, undo: t.undo}, nil
}

// pgTx is a transaction on a connection.
type pgTx struct {
	*sql.Conn
	ctx  context.Context
	done context.CancelFunc
}

// send sends statements without arguments, all in one message.
func (t *pgTx) send(ctx context.Context, statements string) (results []*pgconn.Result, err error) {
	rawErr := t.Raw(func(driver any) error {
		results, err = driver.(*stdlib.Conn).Conn().PgConn().Exec(ctx, statements).ReadAll()
		return nil
	})
	return results, errors.Join(err, rawErr)
}

func (t *pgTx) commit() error {
	defer t.leave()
	results, err := t.send(t.ctx, "COMMIT")
	var said *pgconn.PgError
	switch {
	case err == nil && results[0].CommandTag.String() == "COMMIT":
		return nil
	case err == nil:
		return &attemptError{err: errors.New("committing: PostgreSQL has rolled back, since a statement had failed")}
	case pgconn.SafeToRetry(err), errors.Is(err, sql.ErrConnDone), errors.As(err, &said) && said.Severity == "ERROR": // a worse one may come when all is written
		return &attemptError{err: fmt.Errorf("committing: %w", explained(err))}
	}
	return fmt.Errorf("%w: %w", ErrDoubt, err)
}

// undo rolls back. When that can't be said any more, the server does it, as the connection is closed.
func (t *pgTx) undo() error {
	defer t.leave()
	ctx, done := context.WithTimeout(context.Background(), 2*time.Second)
	defer done()
	_, _ = t.send(ctx, "ROLLBACK")
	return nil
}

// leave gives the connection back. The pool closes one that is in the middle of a transaction.
func (t *pgTx) leave() {
	_ = t.Close() // whatever is wrong with it was told before
	t.done()
}

// The codes of PostgreSQL that are known here.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	adminShutdown        = "57P01"
	crashShutdown        = "57P02"
	lockNotAvailable     = "55P03"
	queryCanceled        = "57014"
	tooManyConnections   = "53300"
	startingUp           = "57P03"
	wrongPassword        = "28P01"
	notAdmitted          = "28000"
	noDatabase           = "3D000"
	notAllowed           = "42501"
)

// again reports whether a transaction that failed is run once more: when it stood in another one's way, and when its connection broke. In a
// pool of somebody else there may be more broken ones.
func (p *postgres) again(err error, tries int) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) && (said.Code == deadlockDetected || said.Code == serializationFailure) {
		return tries < 10
	}
	if !isLost(err) || tries > 3 {
		return false
	}
	if p.own && tries == 1 {
		p.pool.Reset()
	}
	return true
}

// isLost reports whether the connection broke. One that could not be made is none.
func isLost(err error) bool {
	var connect *pgconn.ConnectError
	var said *pgconn.PgError
	var network net.Error
	switch {
	case errors.As(err, &connect):
		return false
	case errors.As(err, &said):
		return said.Code == adminShutdown || said.Code == crashShutdown
	case errors.As(err, &network):
		return !network.Timeout()
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, sql.ErrConnDone)
}

// explained adds what to do to errors of PostgreSQL.
func explained(err error) error {
	var said *pgconn.PgError
	if isAdvised(err) || !errors.As(err, &said) {
		return err
	}
	switch said.Code {
	case tooManyConnections:
		return advise("PostgreSQL takes no more connections; raise its max_connections, or let each process have fewer by pool_max_conns in the URL", err)
	case startingUp, adminShutdown, crashShutdown:
		return advise("PostgreSQL is starting or stopping", err)
	case wrongPassword, notAdmitted:
		return advise("PostgreSQL does not let this user in; look at the user and the password in the URL", err)
	case noDatabase:
		return advise("there is no such database; make it with createdb", err)
	case notAllowed:
		return advise("the user may not do that; let it use the schema of the store, or make that schema", err)
	case lockNotAvailable, queryCanceled:
		return &advised{fmt.Errorf("%w: %w", ErrBusy, err), ErrBusy.Error()}
	}
	return err
}
