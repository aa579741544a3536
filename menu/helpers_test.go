package menu

import (
	"context"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

func nothing(context.Context, registry.Args) (any, error) { return nil, nil }

// prepared is a method ready to check arguments.
func prepared(t testing.TB, m registry.Method) *registry.Method {
	t.Helper()
	if m.Kind == registry.Value || m.Kind == registry.Form {
		m.Run = nil
	}
	ready, err := registry.Prepare(m)
	if err != nil {
		t.Fatal(err)
	}
	return ready
}
