package trace_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/trace"
)

// kept is what a recorder of that content keeps of r.
func kept(t *testing.T, mode string, key []byte, r trace.Record) trace.Record {
	t.Helper()
	m := trace.NewMemory(trace.Limits{})
	c, err := trace.Content(mode, key, m)
	if err != nil {
		t.Fatal(err)
	}
	c.Record(context.Background(), r)
	return m.List()[0]
}

var key = []byte("0123456789abcdef")

// filled is a record of which every field says something.
func filled() trace.Record {
	r := trace.Record{}
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Interface().(type) {
		case string:
			f.SetString("canary " + v.Type().Field(i).Name)
		case bool:
			f.SetBool(true)
		case int, time.Duration:
			f.SetInt(7)
		}
	}
	r.Time = time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC)
	r.Args, r.Dropped = json.RawMessage(`{"canary":"Args"}`), []string{"args.canary", "args.other"}
	return r
}

// words are the fields that hold the words of others.
var words = []string{"Args", "Dropped", "Error", "Reason", "Reply", "Output"}

func TestContent(t *testing.T) {
	t.Parallel()
	in := filled()
	if diff := cmp.Diff(in, kept(t, trace.ContentFull, nil, in)); diff != "" {
		t.Errorf("full (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(in, kept(t, "", nil, in)); diff != "" {
		t.Errorf("no mode (-want +got):\n%s", diff)
	}

	hashed, none := kept(t, trace.ContentHash, key, in), kept(t, trace.ContentNone, key, in)
	was, hash, nothing := reflect.ValueOf(in), reflect.ValueOf(hashed), reflect.ValueOf(none)
	for i := range was.NumField() {
		name := was.Type().Field(i).Name
		isWords := strings.Contains(strings.Join(words, " "), name)
		if same := cmp.Equal(was.Field(i).Interface(), hash.Field(i).Interface()); same == isWords {
			t.Errorf("hash: %s is the same: %v, %v", name, same, hash.Field(i))
		}
		digest := name == "ReplyDigest" || name == "Menu"
		if gone := nothing.Field(i).IsZero(); gone != (isWords || digest) {
			t.Errorf("none: %s is left out: %v, %v", name, gone, nothing.Field(i))
		}
	}
	for _, r := range []trace.Record{hashed, none} {
		for _, text := range append(r.Dropped, string(r.Args), r.Error, r.Reason, r.Reply, r.Output) {
			if strings.Contains(text, "canary") {
				t.Errorf("kept: %s", text)
			}
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	}
}

// TestContentDigests: equal texts have equal digests under one key, and others under another.
func TestContentDigests(t *testing.T) {
	t.Parallel()
	one := kept(t, trace.ContentHash, key, trace.Record{Reply: "a", Output: "a", Reason: "b"})
	if one.Reply != one.Output || one.Reply == one.Reason || !strings.HasPrefix(one.Reply, "hmac-sha256:") || len(one.Reply) != 12+43 {
		t.Errorf("digests: %+v", one)
	}
	if other := kept(t, trace.ContentHash, []byte("another key of 16"), trace.Record{Reply: "a"}); other.Reply == one.Reply {
		t.Error("another key gives the same digest")
	}
	if empty := kept(t, trace.ContentHash, key, trace.Record{State: "done"}); empty.Reply != "" || empty.Args != nil || empty.Error != "" || empty.Dropped != nil {
		t.Errorf("what was empty: %+v", empty)
	}
}

// TestKindsStay: the word for why something was refused is no content; what a failed run said is.
func TestKindsStay(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{trace.ContentHash, trace.ContentNone} {
		for _, kind := range trace.Kinds() {
			if got := kept(t, mode, key, trace.Record{State: "refused", Error: kind}); got.Error != kind {
				t.Errorf("%s: the kind %s is kept as %q", mode, kind, got.Error)
			}
		}
		if got := kept(t, mode, key, trace.Record{State: "failed", Method: "m", Error: "no account 12345"}); strings.Contains(got.Error, "12345") {
			t.Errorf("%s: kept %q", mode, got.Error)
		}
	}
}

func TestNoSuchContent(t *testing.T) {
	t.Parallel()
	for mode, key := range map[string][]byte{"some": key, trace.ContentHash: nil} {
		if _, err := trace.Content(mode, key, trace.NewMemory(trace.Limits{})); err == nil {
			t.Errorf("content %q with a key of %d bytes is taken", mode, len(key))
		}
	}
}
