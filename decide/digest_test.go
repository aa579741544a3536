package decide

import (
	"encoding/json"
	"testing"
)

// Two answers that are not the same never look it, whichever of their parts differ.
func TestAnswersAreToldApart(t *testing.T) {
	t.Parallel()
	e := newWorld(t).eng
	seen := map[string]Answer{}
	for _, text := range []string{"", "alpha", "beta"} {
		for _, call := range []string{"", "alpha", "beta"} {
			for _, args := range []string{"", "{}", `{"n":1}`, `{"n":2}`, `{"n":`} {
				a := Answer{Text: text, Call: call, Args: json.RawMessage(args)}
				digest := e.textDigest(a)
				if other, ok := seen[digest]; ok {
					t.Errorf("%+v looks like %+v", a, other)
				}
				seen[digest] = a
			}
		}
	}
	spaced, plain := Answer{Call: "a", Args: json.RawMessage(`{ "n": 1, "m": 2 }`)}, Answer{Call: "a", Args: json.RawMessage(`{"m":2,"n":1}`)}
	if e.textDigest(spaced) != e.textDigest(plain) {
		t.Error("blanks and the order of keys make another answer")
	}
}

// A text beside empty args is a text alone: many clients fill in every parameter.
func TestTextBesideEmptyArgs(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"", "null", "{}", " {\n} "} {
		w := newWorld(t)
		out := w.answer(Answer{Handle: w.open().Handle, Text: `{"call":"tag"}`, Args: json.RawMessage(args)})
		if out.State != Done || w.wrote.Load() != 1 {
			t.Errorf("args %q: %+v", args, out)
		}
	}
}
