package guard

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Secrets of the tests. None may ever stand in a log or an answer.
const (
	deskSecret = "desk-secret-canary-0001"
	leadSecret = "lead-secret-canary-0002"
)

func deskToken() []Token {
	return []Token{{Name: "desk", Secret: deskSecret, Roles: []string{"agent"}}}
}

func newGuard(t testing.TB, o Options) *Guard {
	t.Helper()
	if o.Tokens == nil && !o.Unauthenticated {
		o.Tokens = deskToken()
	}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
