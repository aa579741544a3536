package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	lifeEvery = 5 * time.Second // how often the connection is used, so that one which is broken is noticed
	lifeWait  = 5 * time.Second // how long an answer may take
)

// pgLife is the sign of life of this process: a lock that a connection of its own holds. The server lets it go when the connection is gone,
// however the process ended. The name stays the same when the connection had to be made again: what was found dead meanwhile has moved
// on to unknown, and a row that has moved on can't be written by who knows the old one.
type pgLife struct {
	self    string
	connect func(context.Context) (*pgx.Conn, error)
	log     *slog.Logger
	conn    *pgx.Conn
	clock   atomic.Pointer[pgClock]

	stop context.CancelFunc
	gone sync.WaitGroup
}

// pgClock is what time the server had at a moment of ours.
type pgClock struct {
	server time.Time
	here   time.Time
}

func beginPgLife(ctx context.Context, connect func(context.Context) (*pgx.Conn, error), log *slog.Logger) (*pgLife, error) {
	l := &pgLife{self: strings.ToLower(rand.Text()), connect: connect, log: log}
	if err := l.take(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// start begins to look after the connection.
func (l *pgLife) start() {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.gone.Go(func() { l.keep(ctx) })
}

// lifeKey is the lock of the process of that name.
func lifeKey(name string) int64 { return lockKey("life " + name) }

// settings of the connection: no time-out of the server ends it while we live, and a machine that is gone is noticed within half a minute.
const lifeSettings = `SELECT set_config(name, CASE name WHEN 'tcp_keepalives_idle' THEN '10' WHEN 'tcp_keepalives_interval' THEN '5' WHEN 'tcp_keepalives_count' THEN '4' ELSE '0' END, false)
	FROM pg_settings WHERE name IN ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'statement_timeout', 'lock_timeout', 'idle_session_timeout')`

// take makes the connection and takes the lock. When another connection still has it, that is an old one of ours which the server
// takes for a good one, and it is ended.
func (l *pgLife) take(ctx context.Context) (err error) {
	ctx, done := context.WithTimeout(ctx, 2*lifeWait)
	defer done()
	conn, err := l.connect(ctx)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() {
		if err != nil {
			hangUp(conn)
		}
	}()
	if _, err := conn.Exec(ctx, lifeSettings); err != nil {
		return fmt.Errorf("taking the sign of life: %w", err)
	}
	for taken := false; !taken; {
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", lifeKey(l.self)).Scan(&taken); err != nil {
			return fmt.Errorf("taking the sign of life: %w", err)
		}
		if taken {
			break
		}
		_, err := conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock' AND objsubid = 1
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND (classid::bigint << 32 | objid::bigint) = $1`, lifeKey(l.self))
		if err != nil {
			return fmt.Errorf("ending the old sign of life: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("taking the sign of life: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	l.conn = conn
	return l.look(ctx)
}

// look asks for the time: that is a use of the connection, too.
func (l *pgLife) look(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, lifeWait)
	defer done()
	var micros int64
	before := time.Now()
	if err := l.conn.QueryRow(ctx, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(&micros); err != nil {
		return fmt.Errorf("asking for the time: %w", err)
	}
	took := time.Since(before)
	l.clock.Store(&pgClock{server: time.UnixMicro(micros).UTC(), here: before.Add(took / 2)})
	return nil
}

// now is the server's time. Between two looks it goes on by our clock that is never set.
func (l *pgLife) now() time.Time {
	c := l.clock.Load()
	return c.server.Add(time.Since(c.here))
}

// keep looks after the connection until the store is closed, and makes it again when it breaks. A broken one is noticed at once where
// the server could say so.
func (l *pgLife) keep(ctx context.Context) {
	for ctx.Err() == nil {
		wait, done := context.WithTimeout(ctx, lifeEvery)
		_, err := l.conn.WaitForNotification(wait)
		done()
		if !l.conn.IsClosed() {
			err = l.look(ctx)
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		l.log.Warn("the sign of life in PostgreSQL is lost", "err", err)
		hangUp(l.conn)
		l.again(ctx)
	}
}

// again tries until the lock is taken once more.
func (l *pgLife) again(ctx context.Context) {
	began := time.Now()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := l.take(ctx)
		if err == nil {
			l.log.Info("the sign of life in PostgreSQL is there again", "after", time.Since(began))
			return
		}
		l.log.Debug("the sign of life in PostgreSQL can't be taken yet", "err", err)
	}
}

// lock takes another lock on the connection, which nobody may use meanwhile.
func (l *pgLife) lock(ctx context.Context, key int64) (unlock func(), err error) {
	if _, err := l.conn.Exec(ctx, "SELECT pg_advisory_lock($1)", key); err != nil {
		return nil, fmt.Errorf("waiting for the others: %w", err)
	}
	return func() {
		ctx, done := context.WithTimeout(context.Background(), lifeWait)
		defer done()
		if _, err := l.conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", key); err != nil {
			hangUp(l.conn) // the lock goes with it
		}
	}, nil
}

// end takes the sign away.
func (l *pgLife) end() error {
	if l.stop != nil {
		l.stop()
	}
	l.gone.Wait()
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	_, _ = l.conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", lifeKey(l.self)) // so that all know at once; else the server sees it soon
	if err := l.conn.Close(ctx); err != nil && !l.conn.IsClosed() {
		return errors.Join(errors.New("ending the sign of life"), err)
	}
	return nil
}

// hangUp closes a connection that is of no use.
func hangUp(conn *pgx.Conn) {
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	_ = conn.Close(ctx)
}
