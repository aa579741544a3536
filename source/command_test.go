package source

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// What a program's end comes to, from exit status to text.
func TestOutcome(t *testing.T) {
	t.Parallel()
	print := func(s string) *config.Command { return childCommand(t, "print", literal(strconv.Quote(s))) }
	exit := func(status, stderr string) *config.Command {
		return childCommand(t, "exit", status, literal(strconv.Quote(stderr)))
	}
	asJSON := func(c *config.Command) *config.Command { c.JSON = true; return c }
	ok := func(c *config.Command, status ...int) *config.Command { c.OKExit = status; return c }
	long := strings.Repeat("0123456789", 1000)
	for _, test := range []struct {
		name    string
		command *config.Command
		want    any
		err     string // contained in the error
		notErr  string // not contained in it
	}{
		{name: "text", command: print("one\ntwo\n"), want: "one\ntwo"},
		{name: "one newline is trimmed", command: print("one\n\n"), want: "one\n"},
		{name: "a CRLF is trimmed", command: print("one\r\n"), want: "one"},
		{name: "blanks stay", command: print("  one  "), want: "  one  "},
		{name: "nothing", command: print(""), want: ""},
		{name: "escapes for a terminal are shown", command: print("\x1b[31mred\x1b[0m\a\r100%\u202e\U000e0041"), want: `\x1b[31mred\x1b[0m\x07\x0d100%\u202e\U000e0041`},
		{name: "NUL is shown", command: print("a\x00b"), want: `a\x00b`},
		{name: "other scripts stay", command: print("日本語\tمی\u200cخواهم 👩\u200d👩\u200d👧\r\nq"), want: "日本語\tمی\u200cخواهم 👩\u200d👩\u200d👧\r\nq"},
		{name: "bytes that are no text", command: print("\xff\xfe\x00"), err: "it ran to its end (exit status 0), but the 3 bytes that it printed are not text in UTF-8"},
		{name: "stderr of a good end is not the result", command: exit("0", "warning"), want: ""},

		{name: "JSON", command: asJSON(print(` {"a": [1, 2.50]}` + "\n")), want: json.RawMessage(`{"a": [1, 2.50]}`)},
		{name: "JSON null", command: asJSON(print("null")), want: json.RawMessage("null")},
		{name: "JSON with characters that hide", command: asJSON(print("{\"a\":\"\u202ex\U000e0041\u009b\"}\r\n")), want: json.RawMessage(`{"a":"\u202ex\udb40\udc41\u009b"}`)},
		{name: "no JSON", command: asJSON(print("total: 5")), err: "what it printed is not the JSON that was expected"},
		{name: "two JSON values", command: asJSON(print("{}\n{}")), err: "not the JSON that was expected"},
		{name: "a key twice", command: asJSON(print(`{"a":1,"a":2}`)), err: "not the JSON that was expected"},
		{name: "nothing where JSON was expected", command: asJSON(print("\n")), err: "it printed nothing where JSON was expected"},
		{name: "too much JSON", command: asJSON(childCommand(t, "flood", "1048577")), err: "it printed 1048577 bytes, more than the 1048576 that are read"},

		{name: "exit status", command: exit("3", "no such order\n"), err: "exit status 3: no such order"},
		{name: "exit status with lines", command: exit("1", "one\ntwo\n"), err: "exit status 1:\none\ntwo"},
		{name: "exit status alone", command: exit("7", " \n"), err: "exit status 7"},
		{name: "exit status that is fine", command: ok(exit("3", ""), 0, 3), want: ""},
		{name: "0 that is not fine", command: ok(print("x"), 3), err: "exit status 0: x"},
		{name: "an error's escapes are shown", command: exit("1", "\x1b[31mred\xff"), err: `exit status 1: \x1b[31mred` + "\uFFFD"},
		{name: "the end of a long error", command: exit("1", "first\n"+long+"last\n"), err: "…", notErr: "first"},
		{name: "the last words of a long error", command: exit("1", "first\n"+long+"last\n"), err: "6789last"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, err := runnable(t, test.command).Run(t.Context(), nil)
			if test.err == "" {
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(out, test.want) {
					t.Fatalf("got %q, want %q", out, test.want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.err) || test.notErr != "" && strings.Contains(err.Error(), test.notErr) {
				t.Fatalf("got %q, %v; want an error with %q", out, err, test.err)
			}
			if len(err.Error()) > maxTail+100 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if got := stateOf(t, registry.Write, err); got != registry.Failed {
				t.Errorf("state %q, want %q: the program ended by itself", got, registry.Failed)
			}
		})
	}
}

func TestStdin(t *testing.T) {
	t.Parallel()
	c := childCommand(t, "cat")
	input := templateOf(t, "[{text}]")
	c.Stdin = &input
	m := runnable(t, c, append(text("text"), registry.Param{Name: "other", Type: registry.String, Optional: true})...)
	large := strings.Repeat("0123456789abcdef", 1<<15) // more than a pipe holds
	for _, test := range []struct {
		name string
		args registry.Args
		want string
	}{
		{"a text", registry.Args{"text": "a 'b' $(c)\n-d"}, "[a 'b' $(c)\n-d]"},
		{"a large text", registry.Args{"text": large}, "[" + large + "]"},
		{"no text", nil, ""},
	} {
		out, err := m.Run(t.Context(), test.args)
		if err != nil || out != test.want {
			t.Errorf("%s: got %.100q, %v; want %.100q", test.name, out, err, test.want)
		}
	}
}

// A program that does not read its input and ends well has ended well.
func TestUnreadStdin(t *testing.T) {
	t.Parallel()
	c := childCommand(t, "print", `"fine"`)
	input := templateOf(t, "{text}")
	c.Stdin = &input
	out, err := runnable(t, c, text("text")...).Run(t.Context(), registry.Args{"text": strings.Repeat("x", 1<<20)})
	if err != nil || out != "fine" {
		t.Fatalf("got %.100q, %v", out, err)
	}
}

// A program sees the name that the file gives it, and runs in the file's folder or the one it names.
func TestNameAndFolder(t *testing.T) {
	t.Parallel()
	h := machine(t, nil)
	dir, err := filepath.EvalSymlinks(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ cwd, want string }{
		{"", dir},
		{"inner", filepath.Join(dir, "inner")},
		{filepath.Join(dir, "inner"), filepath.Join(dir, "inner")},
	} {
		c := childCommand(t, "dir")
		c.Cwd = test.cwd
		m, _ := built(t, h, config.Method{Command: c})
		if out, err := m.Run(t.Context(), nil); err != nil || out != test.want {
			t.Errorf("cwd %q: got %q, %v; want %q", test.cwd, out, err, test.want)
		}
	}
	if out, err := runnable(t, childCommand(t, "name")).Run(t.Context(), nil); err != nil || out != self(t) {
		t.Errorf("name: got %q, %v; want %q", out, err, self(t))
	}
}

// Text of more than the limit is cut and says so; the program goes on to its end.
func TestLongText(t *testing.T) {
	t.Parallel()
	out, err := runnable(t, childCommand(t, "flood", "3000000")).Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := out.(string)
	if want := "\n[cut: the first 1048575 of 3000000 bytes]"; !strings.HasSuffix(got, want) || len(got) != 1048575+len(want) {
		t.Fatalf("got %d bytes ending in %q, want them to end in %q", len(got), got[len(got)-60:], want)
	}
}

// What must reach the program alone is taken out of what the program says when it fails.
func TestErrorsShowNoSecrets(t *testing.T) {
	t.Parallel()
	const canary, begun = "canary-7f3a-rest", "canary" // one begins with the other
	c := childCommand(t, "exit", "1", `"{hidden} {pin} {token} {free}"`)
	c.Env = []config.EnvVar{{Name: "USER_OF_IT", Value: "env:THE_USER"}, {Name: "TOKEN", Value: "env:THE_TOKEN"}}
	params := []registry.Param{
		{Name: "hidden", Type: registry.String, From: "caller.id"},
		{Name: "pin", Type: registry.Integer, Secret: true},
		{Name: "token", Type: registry.String, From: "env:THE_TOKEN"},
		{Name: "free", Type: registry.String},
	}
	m, _ := built(t, machine(t, map[string]string{"THE_TOKEN": canary, "THE_USER": begun}), config.Method{Method: registry.Method{Summary: "Fails.", Params: params}, Command: c})
	ready, err := registry.Prepare(m)
	if err != nil {
		t.Fatal(err)
	}
	args := json.RawMessage(`{"pin": 4711, "free": "` + canary + ` ` + begun + ` shown"}`)
	r, err := registry.Call(t.Context(), registry.Request{Method: ready, Args: args, Caller: registry.Caller{ID: "os:1000"}})
	if want := "exit status 1: *** *** *** *** *** shown"; err != nil || r.Err == nil || r.Err.Error() != want {
		t.Fatalf("got %v, %v, want %q", r.Err, err, want)
	}
}
