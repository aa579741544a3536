package decide

import (
	"errors"
	"strings"
	"testing"
)

// toldError is an error of a store that has a text for strangers.
type toldError struct{ error }

func (toldError) Public() string { return "the disk is full" }

// TestStoreErrors: a client is told what is not possible, why as far as that is for it, and never where the store is; the log has all of it.
func TestStoreErrors(t *testing.T) {
	t.Parallel()
	inner := errors.New("dial tcp 10.0.0.7: connection refused")
	for _, tc := range []struct {
		err  error
		want string
	}{
		{inner, "The store can't be used now, for opening a turn on settle: the server's log says why. Try it again later."},
		{toldError{inner}, "The store can't be used now, for opening a turn on settle: the disk is full. Try it again later."},
	} {
		e := &StoreError{"opening a turn on settle", tc.err}
		if got := e.Fix(); got != tc.want || Kind(e) != "gated" || !errors.Is(e, tc.err) || !strings.Contains(e.Error(), "10.0.0.7") {
			t.Errorf("%q (%s), want %q", got, Kind(e), tc.want)
		}
	}
}

// TestStoreFailsEverywhere: whatever a client asks for while the store can't be written is refused as such, and nothing runs.
func TestStoreFailsEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.open().Handle
	for _, op := range []string{"insert", "swap", "call"} {
		w.store.fail(op)
		var err error
		switch op {
		case "insert":
			d, _ := w.eng.View().Decision("ticket")
			_, err = w.eng.Open(t.Context(), nil, Opening{Decision: d, Inputs: []byte(`{"text":"x"}`), Caller: desk})
		case "swap":
			_, err = w.eng.Answer(t.Context(), nil, Answer{Handle: h, Call: "tag", Caller: desk})
		case "call":
			_, err = w.call(Call{Method: "tag"})
		}
		var unstored *StoreError
		if !errors.As(err, &unstored) || Kind(err) != "gated" || !errors.Is(err, errDisk) || w.wrote.Load() != 0 {
			t.Errorf("%s: %v (%s), %d writes", op, err, Kind(err), w.wrote.Load())
		}
		w.store.fail("")
	}
}
