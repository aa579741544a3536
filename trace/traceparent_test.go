package trace_test

import (
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/trace"
)

func TestParseTraceParent(t *testing.T) {
	t.Parallel()
	const id, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for name, tc := range map[string]struct{ text, want string }{
		"sampled":                  {"00-" + id + "-" + span + "-01", "00-" + id + "-" + span + "-01"},
		"not sampled":              {"00-" + id + "-" + span + "-00", "00-" + id + "-" + span + "-00"},
		"other flags":              {"00-" + id + "-" + span + "-03", "00-" + id + "-" + span + "-01"},
		"flags without sampled":    {"00-" + id + "-" + span + "-fe", "00-" + id + "-" + span + "-00"},
		"a later version":          {"cc-" + id + "-" + span + "-01", "00-" + id + "-" + span + "-01"},
		"a later version, longer":  {"cc-" + id + "-" + span + "-01-what-comes", "00-" + id + "-" + span + "-01"},
		"a later version, glued":   {"cc-" + id + "-" + span + "-01x", ""},
		"version 00, longer":       {"00-" + id + "-" + span + "-01-x", ""},
		"version ff":               {"ff-" + id + "-" + span + "-01", ""},
		"no hexadecimal version":   {"0g-" + id + "-" + span + "-01", ""},
		"a trace id of zeros":      {"00-" + strings.Repeat("0", 32) + "-" + span + "-01", ""},
		"a span id of zeros":       {"00-" + id + "-" + strings.Repeat("0", 16) + "-01", ""},
		"upper case":               {"00-" + strings.ToUpper(id) + "-" + span + "-01", ""},
		"a blank before":           {" 00-" + id + "-" + span + "-01", ""},
		"a line end behind":        {"00-" + id + "-" + span + "-01\n", ""},
		"no hexadecimal trace id":  {"00-" + strings.Repeat("g", 32) + "-" + span + "-01", ""},
		"no hexadecimal span id":   {"00-" + id + "-" + strings.Repeat("z", 16) + "-01", ""},
		"no hexadecimal flags":     {"00-" + id + "-" + span + "-0x", ""},
		"other separators":         {"00_" + id + "_" + span + "_01", ""},
		"short":                    {"00-" + id + "-" + span + "-1", ""},
		"empty":                    {"", ""},
		"very long, later version": {"cc-" + id + "-" + span + "-01-" + strings.Repeat("x", 1<<20), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ok := trace.ParseTraceParent(tc.text)
			if ok != (tc.want != "") || ok && p.String() != tc.want {
				t.Errorf("%.80q reads as %s, %v; want %q", tc.text, p, ok, tc.want)
			}
		})
	}
}

func FuzzParseTraceParent(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Add("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x")
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := trace.ParseTraceParent(text)
		if !ok {
			return
		}
		if again, ok := trace.ParseTraceParent(p.String()); !ok || again != p {
			t.Errorf("%q reads as %s, and that as %s", text, p, again)
		}
	})
}
