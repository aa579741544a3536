package store

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestPostgresURL names the variable that holds the URL of a PostgreSQL server for tests. .ci/postgres starts one and sets it.
const TestPostgresURL = "MCP_DECIDE_TEST_POSTGRES"

// PostgresIsThere reports whether there is a PostgreSQL server for tests.
func PostgresIsThere() bool { return os.Getenv(TestPostgresURL) != "" }

// FreshPostgres is the URL of a schema of its own, which is not there yet and is removed after the test. Without a server the test is skipped.
func FreshPostgres(t testing.TB) string {
	t.Helper()
	if !PostgresIsThere() {
		t.Skip("not tested with PostgreSQL, since " + TestPostgresURL + " holds no URL of a server; .ci/postgres COMMAND starts one for a command")
	}
	u, err := url.Parse(os.Getenv(TestPostgresURL))
	if err != nil {
		t.Fatalf("%s can't be read", TestPostgresURL)
	}
	schema := "test_" + strings.ToLower(rand.Text()[:16])
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	t.Cleanup(func() { sqlOf(t, u.String(), `DROP SCHEMA IF EXISTS "`+schema+`" CASCADE`) })
	return u.String()
}

// sqlOf runs some SQL on a connection of its own.
func sqlOf(t testing.TB, url, statements string) {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), 20*time.Second)
	defer done()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.PgConn().Exec(ctx, statements).ReadAll(); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}
