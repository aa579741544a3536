package decide

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

// TestSaidOnce: who shows that a call was refused says that it did not run; the refusal says of what, and why.
func TestSaidOnce(t *testing.T) {
	t.Parallel()
	w := &nativeWrite{native: &native{}, method: &registry.Method{Name: "note"}}
	var refused *registry.Refused
	if err := w.unrecorded(errors.New("there is no room")); !errors.As(err, &refused) {
		t.Fatalf("%v, want a refusal", err)
	}
	if m := refused.Message; !strings.HasPrefix(m, "note can't run now: ") || !strings.HasSuffix(m, "there is no room.") || strings.Contains(strings.ToLower(m), "not run") {
		t.Errorf("%q", m)
	}
}
