package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Options are the settings of a Store. The zero value gives the defaults.
type Options struct {
	Keep time.Duration    // how long records of what happened are kept; 0 = 30 days
	Size int64            // bytes that these records take at most, about: above it the oldest go; 0 = 1 GiB
	Live int              // turns of one principal that wait for an answer, a person or an end; 0 = 10,000
	Now  func() time.Time // nil = the clock of the database; a file has the one of its machine
	Log  *slog.Logger     // nil = nothing is logged
}

func (o Options) logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// Store is an open store. It implements decide.Store, decide.Owners and trace.Recorder, and is safe for concurrent use.
type Store struct {
	db     *database
	write  *writer
	key    []byte
	traces traces
	rooms  rooms
	o      Options

	stop chan struct{}
	gone sync.WaitGroup
	once sync.Once
}

// Open opens a store. A file that is not there is made, with its folder; one that was made by a newer version, or is no store, is
// left as it is. The caller closes it.
func Open(ctx context.Context, w Where, o Options) (*Store, error) {
	db, err := connect(ctx, w, o.logger())
	if err != nil {
		return nil, err
	}
	return newStore(ctx, db, o)
}

func connect(ctx context.Context, w Where, log *slog.Logger) (*database, error) {
	switch w.Kind {
	case "sqlite":
		s, err := openSQLite(ctx, w.Path)
		if err != nil {
			return nil, err
		}
		return s.database(w.Path), nil
	case "memory":
		s, err := openMemory(ctx)
		if err != nil {
			return nil, err
		}
		return s.database(w.String()), nil
	case "postgres":
		return openPostgres(ctx, w, log)
	}
	return nil, fmt.Errorf("there is no store of the kind %q", w.Kind)
}

// newStore is the store in a database, which it closes.
func newStore(ctx context.Context, db *database, o Options) (_ *Store, err error) {
	if o.Live <= 0 {
		o.Live = 10_000
	}
	if o.Keep <= 0 {
		o.Keep = keepTraces
	}
	if o.Size <= 0 {
		o.Size = sizeTraces
	}
	if o.Now == nil {
		o.Now = db.now
	}
	o.Log = o.logger()
	s := &Store{db: db, o: o, stop: make(chan struct{}), traces: traces{queue: make(chan *trace.Record, maxQueued), hurry: make(chan chan struct{}), full: make(chan struct{}, 1)}}
	s.write = newWriter(db)
	if s.key, err = s.secret(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.gone.Go(s.sweeper)
	s.gone.Go(s.keeper)
	return s, nil
}

// Close writes the records that wait, ends the writing and closes the files. Turns that wait to be written at that moment are refused with
// ErrClosed.
func (s *Store) Close() (err error) {
	s.once.Do(func() {
		s.traces.close()
		close(s.stop)
		s.gone.Wait()
		s.write.close()
		err = s.db.close()
	})
	return err
}

// secret is the key of the digests, made by the first process that opens the store.
func (s *Store) secret(ctx context.Context) (key []byte, err error) {
	fresh := make([]byte, 32)
	rand.Read(fresh)
	err = s.write.write(ctx, decide.Power, func(w *work) error {
		if _, err := w.exec("INSERT INTO {settings} (name, value) VALUES ('key', $1) ON CONFLICT DO NOTHING", fresh); err != nil {
			return err
		}
		return w.row("SELECT value FROM {settings} WHERE name = 'key'").Scan(&key)
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the key of the store: %w", s.db.explain(err))
	case len(key) < 16:
		return nil, errors.New("the key of the store is damaged: put a backup in its place or name another file")
	}
	return key, nil
}

// Key implements decide.Store.
func (s *Store) Key() []byte { return slices.Clone(s.key) }

// Owner implements decide.Owners. In memory, where there is no other process, it is "".
func (s *Store) Owner() string { return s.db.owner() }

// Alive implements decide.Owners.
func (s *Store) Alive(owner string) (bool, error) { return s.db.alive(owner) }

// Now is the time by which the store forgets: the database's, which all who share it agree on.
func (s *Store) Now() time.Time { return s.o.Now() }
