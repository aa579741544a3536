package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/postgres/*.sql
var postgresMigrations embed.FS

const (
	defaultSchema = "mcp_decide"
	pgLanes       = 2
	pgConnect     = 5 * time.Second // how long a connection is waited for
)

// postgres is a schema of a PostgreSQL database, reached over a pool of connections and one more that is the sign of life.
type postgres struct {
	pool    *pgxpool.Pool
	own     bool    // the pool is ours
	db      *sql.DB // the same pool
	schema  string
	tables  *strings.Replacer
	version int64 // of the tables, that this program knows
	log     *slog.Logger
	life    *pgLife
	begins  [3]string // by class
}

// openPostgres connects to the database of a URL.
func openPostgres(ctx context.Context, w Where, log *slog.Logger) (*database, error) {
	config, schema, err := pgConfig(w.url)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("the store %s: %w", w, explained(err))
	}
	p := &postgres{pool: pool, own: true, schema: schema, log: log}
	return p.open(ctx, w.String())
}

// OpenPool opens a store in PostgreSQL over the connections of a pool, in the schema mcp_decide of its database. The caller closes the
// store and then the pool. Besides those of the pool the store holds one connection of its own, made with the pool's configuration: while it
// stands, this process lives.
func OpenPool(ctx context.Context, pool *pgxpool.Pool, o Options) (*Store, error) {
	p := &postgres{pool: pool, schema: defaultSchema, log: o.logger()}
	db, err := p.open(ctx, Where{Kind: "postgres", url: pool.Config().ConnString()}.String())
	if err != nil {
		return nil, err
	}
	return newStore(ctx, db, o)
}

// pgConfig reads the URL of a database. The schema is the first one of search_path, if that is given.
func pgConfig(url string) (config *pgxpool.Config, schema string, err error) {
	config, err = pgxpool.ParseConfig(url)
	if err != nil { // not shown: it may hold a password
		return nil, "", errors.New("the URL of PostgreSQL can't be read; write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %XX for what has a meaning there")
	}
	if !strings.Contains(url, "pool_max_conns=") {
		config.MaxConns = pgLanes + readers
	}
	if config.ConnConfig.ConnectTimeout == 0 || config.ConnConfig.ConnectTimeout > pgConnect {
		config.ConnConfig.ConnectTimeout = pgConnect
	}
	params := config.ConnConfig.RuntimeParams
	if params["application_name"] == "" {
		params["application_name"] = "mcp-decide"
	}
	schema, _, _ = strings.Cut(params["search_path"], ",")
	if schema == "" {
		schema = defaultSchema
	}
	if !plainName.MatchString(schema) {
		return nil, "", fmt.Errorf("%q can't be the schema of the store: write up to 63 small letters, digits and _", schema)
	}
	return config, schema, nil
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

func (p *postgres) open(ctx context.Context, name string) (_ *database, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("the store %s: %w", name, explained(err)), p.close())
		}
	}()
	p.db = stdlib.OpenDBFromPool(p.pool)
	p.tables = strings.NewReplacer("{", `"`+p.schema+`".`, "}", "")
	if p.life, err = beginPgLife(ctx, p.connection, p.log); err != nil {
		return nil, err
	}
	if err := p.migrate(ctx); err != nil {
		return nil, err
	}
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	p.life.start()
	return &database{
		name: name, reading: p.db, tables: p.tables, lanes: pgLanes, begin: p.begin, again: p.again, close: p.close, explain: explained,
		now: p.life.now, owner: func() string { return p.life.self }, alive: p.alive,
	}, nil
}

// connection makes a connection beside the pool, in the way the pool makes its own.
func (p *postgres) connection(ctx context.Context) (*pgx.Conn, error) {
	config, err := p.config(ctx)
	if err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(ctx, pgConnect)
	defer done()
	return pgx.ConnectConfig(ctx, config)
}

func (p *postgres) config(ctx context.Context) (*pgx.ConnConfig, error) {
	pool := p.pool.Config()
	config := pool.ConnConfig.Copy()
	if pool.BeforeConnect != nil {
		if err := pool.BeforeConnect(ctx, config); err != nil {
			return nil, err
		}
	}
	return config, nil
}

// migrate brings the tables up to date, one process at a time. A role that may make nothing can use what is there.
func (p *postgres) migrate(ctx context.Context) error {
	files, err := fs.Sub(postgresMigrations, "migrations/postgres")
	if err != nil {
		return err
	}
	config, err := p.config(ctx)
	if err != nil {
		return err
	}
	config.RuntimeParams["search_path"] = p.schema
	db := stdlib.OpenDB(*config)
	defer db.Close()
	db.SetMaxOpenConns(1)
	steps, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("reading the steps that bring it up to date: %w", err)
	}
	sources := steps.ListSources()
	p.version = sources[len(sources)-1].Version
	if is, err := p.versionIs(ctx); err != nil || is == p.version {
		return err
	}
	unlock, err := p.life.lock(ctx, lockKey("migrate "+p.schema))
	if err != nil {
		return err
	}
	defer unlock()
	if is, err := p.versionIs(ctx); err != nil || is == p.version {
		return err
	}
	if err := p.makeSchema(ctx, db); err != nil {
		return err
	}
	if _, err := steps.Up(ctx); err != nil {
		return fmt.Errorf("bringing it up to date: %w", err)
	}
	return nil
}

// versionIs is the version of the tables; 0 = there are none. A newer one than ours is an error.
func (p *postgres) versionIs(ctx context.Context) (is int64, err error) {
	var there bool
	if err := p.db.QueryRowContext(ctx, "SELECT to_regclass($1) IS NOT NULL", `"`+p.schema+`".goose_db_version`).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = p.db.QueryRowContext(ctx, p.tables.Replace("SELECT coalesce(max(version_id), 0) FROM {goose_db_version} WHERE is_applied")).Scan(&is)
	if err == nil && is > p.version {
		err = ErrNewer
	}
	return is, err
}

// makeSchema makes the schema if it is not there: a role that may make none can't even ask PostgreSQL to do so "if not exists".
func (p *postgres) makeSchema(ctx context.Context, db *sql.DB) error {
	var there bool
	if err := db.QueryRowContext(ctx, "SELECT to_regnamespace($1) IS NOT NULL", `"`+p.schema+`"`).Scan(&there); err != nil || there {
		return err
	}
	if _, err := db.ExecContext(ctx, `CREATE SCHEMA "`+p.schema+`"`); err != nil {
		return fmt.Errorf("making the schema %s: %w", p.schema, err)
	}
	return nil
}

// alive reports whether somebody holds the lock of that name. Those who look at the same time don't take each other for the holder.
func (p *postgres) alive(name string) (bool, error) {
	if name == p.life.self {
		return true, nil
	}
	ctx, done := context.WithTimeout(context.Background(), 2*time.Second)
	defer done()
	var free bool
	if err := p.db.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock_shared($1)", lifeKey(name)).Scan(&free); err != nil {
		return false, fmt.Errorf("looking for a sign of life: %w", explained(err))
	}
	return !free, nil
}

func (p *postgres) close() error {
	var errs []error
	if p.life != nil {
		errs = append(errs, p.life.end())
	}
	if p.db != nil {
		errs = append(errs, p.db.Close())
	}
	if p.own {
		p.pool.Close()
	}
	return errors.Join(errs...)
}

// lockKey is a name as the number that advisory locks have.
func lockKey(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("mcp-decide " + name)) // never fails
	return int64(h.Sum64())
}
