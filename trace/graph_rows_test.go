package trace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/trace"
	"pgregory.net/rapid"
)

// rows reads rows as a store gives them, one JSON object a line.
func rows(t *testing.T, text string) []trace.Node {
	t.Helper()
	var list []trace.Node
	for line := range strings.Lines(text) {
		var n trace.Node
		if err := json.Unmarshal([]byte(line), &n); err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

const (
	rowU = `{"id":"u","seq":0,"kind":"user","predecessor":"ROOT","status":"done","time":"2027-01-15T08:00:00Z","ended_seq":1}` + "\n"
	rowF = `{"id":"f","seq":1,"kind":"code","predecessor":"u","name":"f","expose":"full","status":"running","time":"2027-01-15T08:00:00Z"}` + "\n"
	rowL = `{"id":"l","seq":2,"kind":"llm","caller":"f","status":"running","time":"2027-01-15T08:00:00Z"}` + "\n"
	rowM = `{"id":"m","seq":3,"kind":"llm","predecessor":"f","status":"running","time":"2027-01-15T08:00:00Z"}` + "\n"
	rowS = `{"id":"s","seq":4,"kind":"llm","predecessor":"ROOT","covers":["u","f"],"status":"done","time":"2027-01-15T08:00:00Z","ended_seq":5}` + "\n"
	rowN = `{"id":"n","seq":5,"kind":"llm","predecessor":"m","status":"running","time":"2027-01-15T08:00:00Z"}` + "\n"
)

// Rows that are missing take what hung on them out of sight, and nothing else.
func TestRowsThatAreMissing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, rows, missing, n string }{
		{"none", rowU + rowF + rowL + rowM + rowS + rowN, "", "s m"},
		{"the summary", rowU + rowF + rowL + rowM + rowN, "", "u f l m"},
		{"the first", rowF + rowL + rowM + rowS + rowN, "u", "f l m"},
		{"a call", rowU + rowL + rowM + rowN, "f", "m"},
		{"the last before", rowU + rowF + rowL + rowN, "m", ""},
		{"all but one", rowN, "m", ""},
	} {
		g, missing, err := trace.Rebuild(trace.GraphLimits{}, rows(t, tt.rows))
		if err != nil || strings.Join(missing, " ") != tt.missing {
			t.Errorf("%s: missing %v, %v, want %q", tt.name, missing, err, tt.missing)
			continue
		}
		nodes, err := g.Context("n")
		if got := strings.Join(nodeIDs(nodes), " "); err != nil || got != tt.n {
			t.Errorf("%s: n sees %q, %v, want %q", tt.name, got, err, tt.n)
		}
		if _, err := g.Add(trace.Node{ID: "new", Kind: trace.KindLLM, Caller: "zzz"}, nil); err == nil {
			t.Errorf("%s: afterwards a caller may be missing too", tt.name)
		}
	}
}

func TestRowsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, rows, want string }{
		{"one seq for two", rowU + strings.Replace(rowF, `"seq":1`, `"seq":0`, 1), "the same seq 0"},
		{"one id, two seqs", rowU + strings.Replace(rowU, `"seq":0`, `"seq":7`, 1), `node "u"`},
		{"two ends", rowU + strings.Replace(rowU, `"status":"done"`, `"status":"failed"`, 1), "two rows that differ"},
		{"hangs on what came later", rowU + strings.Replace(rowF, `"seq":1`, `"seq":9`, 1) + rowL, "a lower seq hangs on it"},
		{"ends before it begins", rowU + strings.Replace(rowS, `"ended_seq":5`, `"ended_seq":4`, 1), "ends before it begins"},
		{"final without an end", strings.Replace(rowU, `,"ended_seq":1`, ``, 1), "does not fit"},
		{"an end without being final", rowU + strings.Replace(rowF, `}`, `,"ended_seq":3}`, 1), "does not fit"},
		{"hidden", rowU + strings.Replace(rowF, `"full"`, `"hidden"`, 1), "hidden has no row"},
		{"no expose", rowU + strings.Replace(rowF, `"expose":"full",`, ``, 1), "does not say"},
		{"negative", strings.Replace(rowU, `"seq":0`, `"seq":-1`, 1), "less than 0"},
	} {
		if g, _, err := trace.Rebuild(trace.GraphLimits{}, rows(t, tt.rows)); err == nil || g != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, _, err := trace.Rebuild(trace.GraphLimits{Nodes: 1}, rows(t, rowU+rowF)); err == nil {
		t.Error("more rows than a graph may have are taken")
	}
}

// Whatever bytes come in, a row comes out of JSON as it went in.
func TestRowsSurviveJSON(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"<&>", "\u2028\u2029", "\xff\xfe", "\x00", `\u003c`, `a\\u003cb`, "\"\\"}))
	rapid.Check(t, func(t *rapid.T) {
		key, value := text.Draw(t, "key"), text.Draw(t, "value")
		args, err := json.Marshal(map[string]any{key: value, "list": []string{value}})
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "not for HTML") {
			args = []byte(strings.NewReplacer(`\\u003c`, `\\u003c`, `\u003c`, "<", `\u0026`, "&", `\u2028`, "\u2028").Replace(string(args)))
		}
		g := trace.NewGraph(trace.GraphLimits{})
		n := trace.Node{ID: "f", Kind: trace.KindCode, Name: "f" + text.Draw(t, "name"), Doc: text.Draw(t, "doc"), Input: value}
		if _, err := g.Add(n, masked(args)); err != nil {
			t.Fatal(err)
		}
		if err := g.Finish("f", trace.End{Status: trace.StatusFailed, Output: value, Error: text.Draw(t, "error")}); err != nil {
			t.Fatal(err)
		}
		want, _ := g.Row("f")
		row, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got trace.Node
		if err := json.Unmarshal(row, &got); err != nil {
			t.Fatal(err)
		}
		again, _, err := trace.Rebuild(trace.GraphLimits{}, []trace.Node{got})
		if err != nil {
			t.Fatal(err)
		}
		got, _ = again.Row("f")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-went in +came out:\n%s", diff)
		}
		var was, is any
		if json.Unmarshal(args, &was) != nil || json.Unmarshal(got.Args, &is) != nil || !cmp.Equal(was, is) {
			t.Fatalf("the arguments %s became %s", args, got.Args)
		}
	})
}

// masked are arguments with nothing to hide.
type masked json.RawMessage

func (m masked) Masked() json.RawMessage { return json.RawMessage(m) }

func TestArgumentsThatAreNoJSON(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{`, `{"a":1}}`, "\xff", `{"a":"\u12"}`, `\u003c`, `"\`} {
		g := trace.NewGraph(trace.GraphLimits{})
		if _, err := g.Add(trace.Node{ID: "f", Kind: trace.KindCode, Name: "f"}, masked(args)); err == nil || g.Len() != 0 {
			t.Errorf("%q: %v, want it refused", args, err)
		}
	}
}
