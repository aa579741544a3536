package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/mcp-decide/mcp-decide/decide"
)

// postgresAt is a store at a URL.
func postgresAt(t *testing.T, url string, o Options) *Store {
	t.Helper()
	return openedAt(t, Where{Kind: "postgres", url: url}, o)
}

// freshRole makes a user that is removed after the test, and is the URL changed to it.
func freshRole(t *testing.T, from, options string) (name, as string) {
	t.Helper()
	u, err := url.Parse(from)
	if err != nil {
		t.Fatal(err)
	}
	name = "role_" + strings.TrimPrefix(u.Query().Get("search_path"), "test_")
	sqlOf(t, from, "CREATE ROLE "+name+" LOGIN PASSWORD 'canary' "+options)
	t.Cleanup(func() { sqlOf(t, from, "DROP OWNED BY "+name+" CASCADE; DROP ROLE "+name) })
	database := strings.TrimPrefix(u.Path, "/")
	sqlOf(t, from, fmt.Sprintf("GRANT CREATE ON DATABASE %q TO %s", database, name))
	u.User = url.UserPassword(name, "canary")
	return name, u.String()
}

// schemaOf is the schema in a URL.
func schemaOf(t *testing.T, from string) string {
	t.Helper()
	_, schema, err := pgConfig(from)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestPool: a pool of the program's own is enough, however small, is left as it was, and stays open when the store is closed.
func TestPool(t *testing.T) {
	t.Parallel()
	config, err := pgxpool.ParseConfig(FreshPostgres(t)) // the schema is the default one here
	if err != nil {
		t.Fatal(err)
	}
	database := "test_" + strings.TrimPrefix(config.ConnConfig.RuntimeParams["search_path"], "test_")
	admin := os.Getenv(TestPostgresURL)
	sqlOf(t, admin, "CREATE DATABASE "+database)
	t.Cleanup(func() { sqlOf(t, admin, "DROP DATABASE "+database+" WITH (FORCE)") })
	config.ConnConfig.Database, config.MaxConns = database, 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s, err := OpenPool(t.Context(), pool, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := insertAs(context.Background(), s, decide.Class(i%3), turnRow(fmt.Sprint("r", i), 10)); err != nil {
				t.Error(err)
			}
			if _, err := s.Turn(context.Background(), fmt.Sprint("r", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	var n int
	var path, level string
	if err := pool.QueryRow(t.Context(), "SELECT count(*), current_setting('search_path'), current_setting('synchronous_commit') FROM mcp_decide.turns").Scan(&n, &path, &level); err != nil || n != 20 {
		t.Errorf("%d turns, %v", n, err)
	}
	if path != config.ConnConfig.RuntimeParams["search_path"] || level != "on" {
		t.Errorf("the pool's connections have the search_path %s and synchronous_commit %s afterwards", path, level)
	}
}

// TestServersTime: what is over is told by the server's clock.
func TestServersTime(t *testing.T) {
	t.Parallel()
	at := FreshPostgres(t)
	schema := schemaOf(t, at)
	sqlOf(t, at, `CREATE SCHEMA "`+schema+`"; CREATE FUNCTION "`+schema+`".clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '2 hours' $$`)
	s := postgresAt(t, strings.Replace(at, schema, schema+",pg_catalog", 1), Options{})
	if ahead := time.Until(s.Now()); ahead < 119*time.Minute || ahead > 121*time.Minute {
		t.Errorf("the store's clock is %v ahead, want the server's 2 hours", ahead)
	}
	over := turnRow("over", 1)
	over.Expires = time.Now().Add(time.Hour)
	if err := insertAs(t.Context(), s, decide.Kill, over); err != nil {
		t.Fatal(err)
	}
	s.sweep()
	if _, err := s.Turn(t.Context(), "over"); !errors.Is(err, decide.ErrNoTurnRow) {
		t.Errorf("what is over by the server's clock is still there: %v", err)
	}
}

// TestSignOfLife: a process that lost its sign of life is dead to the others, begins nothing that has effects, and is the same one when it has it again.
func TestSignOfLife(t *testing.T) {
	t.Parallel()
	admin := FreshPostgres(t)
	role, at := freshRole(t, admin, "")
	s := postgresAt(t, at, Options{})
	other := postgresAt(t, at, Options{})
	is := func(want bool) func() bool {
		return func() bool {
			alive, err := other.Alive(s.Owner())
			return err == nil && alive == want
		}
	}
	if !is(true)() {
		t.Error("it is taken for dead while it lives")
	}
	if alive, err := s.Alive("nobody"); alive || err != nil {
		t.Errorf("nobody lives: %v, %v", alive, err)
	}
	owner := s.Owner()
	end := fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint) = %d", lifeKey(owner))

	sqlOf(t, admin, end) // and it comes back by itself
	until(t, "it lives again", func() bool { return is(true)() && insertAs(t.Context(), s, decide.Power, turnRow("again", 1)) == nil })

	sqlOf(t, admin, "ALTER ROLE "+role+" CONNECTION LIMIT 0; "+end)
	until(t, "the others know that it is dead", is(false))
	if err := insertAs(t.Context(), s, decide.Power, turnRow("power", 1)); !errors.Is(err, ErrLifeless) {
		t.Errorf("an intent of the dead: %v, want ErrLifeless", err)
	}
	if err := insertAs(t.Context(), s, decide.Kill, turnRow("kill", 1)); err != nil {
		t.Errorf("what has no effects: %v", err)
	}
	if _, err := s.Turn(t.Context(), "power"); !errors.Is(err, decide.ErrNoTurnRow) {
		t.Errorf("what was refused: %v", err)
	}
	sqlOf(t, admin, "ALTER ROLE "+role+" CONNECTION LIMIT -1")
	until(t, "it lives again", func() bool { return is(true)() && insertAs(t.Context(), s, decide.Power, turnRow("power", 1)) == nil })
	if s.Owner() != owner {
		t.Errorf("it has another name: %s, was %s", s.Owner(), owner)
	}
}

// TestGhost: an old connection that the server takes for a good one does not keep the process from its sign of life.
func TestGhost(t *testing.T) {
	t.Parallel()
	at := FreshPostgres(t)
	s := postgresAt(t, at, Options{})
	connect := func(ctx context.Context) (*pgx.Conn, error) { return pgx.Connect(ctx, at) }
	second := &pgLife{self: s.Owner(), connect: connect, log: s.o.Log}
	if err := second.take(t.Context()); err != nil { // what the same process does when it has lost the first one
		t.Fatal(err)
	}
	hangUp(second.conn)
	until(t, "the first one has it again", func() bool { return insertAs(t.Context(), s, decide.Power, turnRow("a", 1)) == nil })
}

// TestCrossedOrders: two processes that write the same rows in another order both come through.
func TestCrossedOrders(t *testing.T) {
	t.Parallel()
	at := FreshPostgres(t)
	stores := []*Store{postgresAt(t, at, Options{}), postgresAt(t, at, Options{})}
	for _, id := range []string{"a", "b"} {
		if err := insertAs(t.Context(), stores[0], decide.Kill, turnRow(id, 1)); err != nil {
			t.Fatal(err)
		}
	}
	var met sync.WaitGroup // each has written its first row
	met.Add(len(stores))
	var all sync.WaitGroup
	for i, s := range stores {
		order := []string{"a", "b"}
		if i == 1 {
			order = []string{"b", "a"}
		}
		all.Go(func() {
			runs := 0
			err := s.Do(context.Background(), decide.Power, func(tx decide.Tx) error {
				runs++
				for k, id := range order {
					if k == 1 && runs == 1 {
						met.Done()
						met.Wait()
					}
					was, err := tx.Turn(id)
					if err != nil {
						return err
					}
					for swapped := false; !swapped; { // the other one may have been faster
						if was, swapped, err = tx.SwapTurn(was, was); err != nil {
							return err
						}
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("process %d after %d runs: %v", i, runs, err)
			}
		})
	}
	all.Wait()
	for _, id := range []string{"a", "b"} {
		if r, err := stores[0].Turn(t.Context(), id); err != nil || r.Version != 3 {
			t.Errorf("%s is version %d, %v, want 3", id, r.Version, err)
		}
	}
}

// TestConnectionLimit: where the server takes no more connections, that is said with what to do, and all goes on when it does.
func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	admin := FreshPostgres(t)
	role, at := freshRole(t, admin, "CONNECTION LIMIT 1")
	_, err := Open(t.Context(), Where{Kind: "postgres", url: at}, Options{})
	if err == nil || !strings.Contains(err.Error(), "pool_max_conns") || strings.Contains(err.Error(), "canary") {
		t.Fatalf("at start: %v", err)
	}
	sqlOf(t, admin, "ALTER ROLE "+role+" CONNECTION LIMIT 4")
	s := postgresAt(t, at, Options{})
	sqlOf(t, admin, "ALTER ROLE "+role+" CONNECTION LIMIT 1")
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			err := insertAs(context.Background(), s, decide.Kill, turnRow(fmt.Sprint("r", i), 1))
			if err != nil && !strings.Contains(err.Error(), "pool_max_conns") {
				t.Errorf("write %d: %v", i, err)
			}
			if _, err := s.Turn(context.Background(), fmt.Sprint("r", i)); err != nil && !strings.Contains(err.Error(), "too many connections") && !errors.Is(err, decide.ErrNoTurnRow) {
				t.Errorf("read %d: %v", i, err)
			}
		})
	}
	all.Wait()
	sqlOf(t, admin, "ALTER ROLE "+role+" CONNECTION LIMIT -1")
	if err := insertAs(t.Context(), s, decide.Power, turnRow("after", 1)); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestRoleWithoutRights: who may make no tables uses those that are there, and is told what is missing otherwise.
func TestRoleWithoutRights(t *testing.T) {
	t.Parallel()
	admin := FreshPostgres(t)
	role, at := freshRole(t, admin, "")
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatal(err)
	}
	sqlOf(t, admin, fmt.Sprintf("REVOKE CREATE ON DATABASE %q FROM %s", strings.TrimPrefix(u.Path, "/"), role))
	if _, err := Open(t.Context(), Where{Kind: "postgres", url: at}, Options{}); err == nil || !strings.Contains(err.Error(), "let it use the schema") {
		t.Fatalf("without a schema: %v", err)
	}
	postgresAt(t, admin, Options{})
	schema := schemaOf(t, admin)
	sqlOf(t, admin, fmt.Sprintf("GRANT USAGE ON SCHEMA %[1]q TO %[2]s; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %[1]q TO %[2]s", schema, role))
	s := postgresAt(t, at, Options{})
	if err := insertAs(t.Context(), s, decide.Power, turnRow("a", 1)); err != nil {
		t.Error(err)
	}
}

// TestMigrationKilled: of a process that is killed while it brings the tables up to date, nothing half done stays, and the next one ends it.
func TestMigrationKilled(t *testing.T) {
	t.Parallel()
	at := FreshPostgres(t)
	schema := schemaOf(t, at)
	blocker, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer hangUp(blocker)
	// Another one is about to make a table of that name, so that the second step waits after it has begun.
	sqlOf(t, at, `CREATE SCHEMA "`+schema+`"`)
	if _, err := blocker.PgConn().Exec(t.Context(), `BEGIN; CREATE TABLE "`+schema+`".traces (x INT)`).ReadAll(); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "STORE_TEST_ROLE=opener", "STORE_TEST_PATH="+at)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	admin, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer hangUp(admin)
	until(t, "the second step waits", func() bool {
		var n int
		err := admin.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%CREATE TABLE traces%'`).Scan(&n)
		return err == nil && n > 0
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	if _, err := blocker.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	s := postgresAt(t, at, Options{})
	if err := insertAs(t.Context(), s, decide.Power, turnRow("a", 1)); err != nil {
		t.Error(err)
	}
	if found := wanted(t, s, Wanted{}); len(found) != 0 {
		t.Errorf("%d records", len(found))
	}
}

// TestServerThatIsNone: what is wrong is said with what to do and without the password.
func TestServerThatIsNone(t *testing.T) {
	t.Parallel()
	at := FreshPostgres(t)
	for change, want := range map[string]func(u *url.URL){
		"no such database": func(u *url.URL) { u.Path = "/no_such_database" },
		"connect":          func(u *url.URL) { u.Host = "127.0.0.1:1" },
		"role \"nobody_\"": func(u *url.URL) { u.User = url.UserPassword("nobody_", "canary") },
	} {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(u.User.Username(), "canary")
		want(u)
		if _, err := Open(t.Context(), Where{Kind: "postgres", url: u.String()}, Options{}); err == nil || !strings.Contains(err.Error(), change) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", change, err)
		}
	}
}
