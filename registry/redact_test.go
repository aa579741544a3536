package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However an error shows a secret or a hidden value, no part of it is left.
func TestErrorsDoNotShowValues(t *testing.T) {
	t.Parallel()
	const user, token = "abcd", "abcd-s3cret-rest"
	const odd = "pa\"ss\\word<&>\x1b\u202es3cret"
	encoded := func(v any) string { raw, _ := json.Marshal(v); return string(raw) }
	for _, tt := range []struct {
		values []string
		text   string
		want   string
	}{
		{[]string{user, token}, "bad token " + token, "bad token ***"},
		{[]string{token, user}, token + " of " + user, "*** of ***"},
		{[]string{odd}, "login " + odd, "login ***"},
		{[]string{odd}, fmt.Sprintf("login %q", odd), `login "***"`},
		{[]string{odd}, fmt.Sprintf("login %+q", odd), `login "***"`},
		{[]string{odd}, "login " + encoded(odd), `login "***"`},
		{[]string{odd}, "login " + string(appendText(nil, odd)), `login "***"`},
		{[]string{odd}, "login " + Visible(odd), `login ***`},
		{[]string{"abc", ""}, "abc", "abc"},
		{nil, "x", "x"},
	} {
		for range 20 { // maps have no order
			fill := func(v any) Fill { return func(context.Context, Caller) (any, error) { return v, nil } }
			run := func(context.Context, Args) (any, error) { return nil, errors.New(tt.text) }
			var secret, hidden []Param
			args := map[string]string{}
			for i, value := range tt.values {
				name := fmt.Sprint("p", i)
				args[name] = value
				secret = append(secret, Param{Name: name, Type: String, Secret: true})
				hidden = append(hidden, Param{Name: name, Type: String, Fill: fill(value)})
			}
			for _, request := range []Request{
				{Method: prepared(t, Method{Effect: Read, Params: secret, Run: run}), Args: json.RawMessage(encoded(args))},
				{Method: prepared(t, Method{Effect: Read, Params: hidden, Run: run})},
			} {
				r, err := Call(context.Background(), request)
				if err != nil || r.Err.Error() != tt.want || r.Content[0].Text != "m failed: "+tt.want {
					t.Fatalf("%v, %v, %q, want %q", err, r.Err, r.Content[0].Text, tt.want)
				}
			}
		}
	}
}

// Of a text that is too long no half of a value stays at its end.
func TestRedactAtTheCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[a-c]{4,40}S[a-c]{0,20}`).Draw(t, "value")
		before := maxRedacted - rapid.IntRange(-10, 70).Draw(t, "before the cut")
		got := Redact(strings.Repeat("é", before/2)+strings.Repeat(value, 3), []string{value, "S"})
		if rest := strings.TrimRight(strings.Trim(got, "é"), "…"); strings.Trim(rest, "*") != "" {
			t.Fatalf("%q is left of %q", rest, value)
		}
	})
	if got := Redact(strings.Repeat("secret", maxRedacted), []string{strings.Repeat("secret", maxRedacted/6)}); got != "…" && strings.Contains(got, "secret") {
		t.Errorf("%d bytes are left", len(got))
	}
}

// What a program says is searched once, however many values there are.
func BenchmarkRedact(b *testing.B) {
	values := make([]string, 100_000)
	for i := range values {
		values[i] = fmt.Sprintf("tok%08d", i)
	}
	text := fmt.Sprint(values)
	for b.Loop() {
		if strings.Contains(Redact(text, values), "tok") {
			b.Fatal("a value is left")
		}
	}
}
