package source

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

// metacharacters are texts that a shell, an option parser or a program's own conventions would read otherwise.
var metacharacters = []string{
	"", " ", "  two  blanks  ", "a b", "'", `"`, `'quoted'`, `"quoted"`, `it's`, "`id`",
	"$(id)", "${HOME}", "$HOME", "$$", "$?", "$IFS", "%PATH%", "!!", "!$", "^a^b",
	";", "; id", "a;b", "&", "&& id", "|", "|| id", "| id", ">", "> out",
	">>", "<", "< /etc/passwd", "<<EOF", "<(id)", "2>&1", "(id)", "{a,b}", "{name}", "{{name}}",
	"*", "?", "[a-z]*", "**/*", "~", "~root", "#", "# comment", `\`, `\n`,
	`\\server\share`, "line\nbreak", "line\r\nbreak", "\ttab\t", "\x1b[31mred\x1b[0m", "\x7f\x01", "@file", "@/etc/passwd", "=", "a=b",
	"../../etc/passwd", "C:\\Windows", "http://example.com/?a=b&c=d#e", "日本語 текст 🎉", "e\u0301 \u202e \u200d", "0123", "1e309", "null", "true", "+x",
}

// X1, CVE 27: every text arrives as one argument, byte for byte, alone, inside an element, and in a group.
func TestValuesAreWholeElements(t *testing.T) {
	t.Parallel()
	if len(metacharacters) < 60 {
		t.Fatalf("%d texts, want at least 60", len(metacharacters))
	}
	var elements []any
	var params []registry.Param
	var want []string
	args := registry.Args{}
	for i, value := range metacharacters {
		name := fmt.Sprintf("v%d", i)
		params = append(params, text(name)...)
		args[name] = value
		elements = append(elements, "{"+name+"}", "--x={"+name+"}y", []string{"--group", "{" + name + "}"})
		want = append(want, value, "--x="+value+"y", "--group", value)
	}
	m := runnable(t, childCommand(t, "args", elements...), params...)
	got := printed(t, m, args)
	if !reflect.DeepEqual(got, want) {
		for i := range want {
			if i >= len(got) || got[i] != want[i] {
				t.Fatalf("argument %d: got %q, want %q", i, got[i:min(i+1, len(got))], want[i])
			}
		}
		t.Fatalf("%d arguments, want %d", len(got), len(want))
	}
}

// printed runs a method on the child "args" and returns what arrived.
func printed(t *testing.T, m registry.Method, args registry.Args) []string {
	t.Helper()
	out, err := m.Run(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	if err := json.Unmarshal([]byte(out.(string)), &list); err != nil {
		// Many arguments make more than the text of a result shows; then the test asks for less.
		t.Fatalf("%v in %.200q", err, out)
	}
	arrived := make([]string, len(list))
	for i, a := range list {
		arrived[i] = string(a)
	}
	return arrived
}

func TestArgv(t *testing.T) {
	t.Parallel()
	number := registry.Param{Name: "n", Type: registry.Number}
	list := registry.Param{Name: "list", Type: registry.Array}
	hidden := registry.Param{Name: "h", Type: registry.String, From: "caller.id"}
	params := append(text("a", "b"), number, list, hidden)
	long := strings.Repeat("x", maxElement)
	var many []any
	for range 17 {
		many = append(many, "{a}")
	}
	for _, test := range []struct {
		name     string
		elements []any
		args     registry.Args
		dash     bool
		want     []string
		err      string
	}{
		{name: "no values", elements: []any{"-l", "x"}, want: []string{"-l", "x"}},
		{name: "other types are written as JSON", elements: []any{"{n}", "{list}"},
			args: registry.Args{"n": json.Number("12.50"), "list": []any{"a", json.Number("1")}}, want: []string{"12.50", `["a",1]`}},
		{name: "a number is not rewritten", elements: []any{"--n={n}"}, args: registry.Args{"n": json.Number("1E2")}, want: []string{"--n=1E2"}},
		{name: "a group without its value is left out", elements: []any{"x", []string{"--a", "{a}"}, []string{"--b", "{b}"}},
			args: registry.Args{"b": "1"}, want: []string{"x", "--b", "1"}},
		{name: "a group needs all its values", elements: []any{[]string{"--pair", "{a}", "{b}"}}, args: registry.Args{"a": "1"}, want: nil},
		{name: "a group of plain words stays", elements: []any{[]string{"--a", "b"}}, want: []string{"--a", "b"}},
		{name: "an empty text is an argument", elements: []any{"{a}", []string{"--b", "{b}"}}, args: registry.Args{"a": "", "b": ""}, want: []string{"", "--b", ""}},
		{name: "absent outside a group", elements: []any{"{a}"}, err: "args.a is not given, and this command can't run without it"},
		{name: "absent beside a given one", elements: []any{"{b}{a}"}, args: registry.Args{"b": "1"}, err: "args.a is not given, and this command can't run without it"},
		{name: "dash", elements: []any{"{a}"}, args: registry.Args{"a": "-rf"}, err: `args.a starts with "-"`},
		{name: "double dash", elements: []any{"{a}"}, args: registry.Args{"a": "--exec=id"}, err: `args.a starts with "-"`},
		{name: "lone dash", elements: []any{"{a}"}, args: registry.Args{"a": "-"}, err: `args.a starts with "-"`},
		{name: "dash in a group", elements: []any{[]string{"--a", "{a}"}}, args: registry.Args{"a": "-x"}, err: `args.a starts with "-"`},
		{name: "dash of a negative number", elements: []any{"{n}"}, args: registry.Args{"n": json.Number("-5")}, err: `args.n starts with "-"`},
		{name: "dash after an empty value", elements: []any{"{a}{b}"}, args: registry.Args{"a": "", "b": "-x"}, err: `starts with "-"`},
		{name: "dash of the template after an empty value", elements: []any{"{a}-x"}, args: registry.Args{"a": ""}, err: `starts with "-"`},
		{name: "dash of a hidden value", elements: []any{"{h}"}, args: registry.Args{"h": "-x"}, err: `a value that the server fills in starts with "-"`},
		{name: "dash inside", elements: []any{"{a}"}, args: registry.Args{"a": "x-rf"}, want: []string{"x-rf"}},
		{name: "dash of the template", elements: []any{"--n={n}", "-{a}"}, args: registry.Args{"n": json.Number("-5"), "a": "-v"}, want: []string{"--n=-5", "--v"}},
		{name: "dash allowed", elements: []any{"{a}"}, args: registry.Args{"a": "-rf"}, dash: true, want: []string{"-rf"}},
		{name: "a full-width dash is no dash", elements: []any{"{a}"}, args: registry.Args{"a": "－x"}, want: []string{"－x"}},
		{name: "NUL", elements: []any{"{b}{a}"}, args: registry.Args{"a": "x\x00y", "b": "longer than that"}, err: "args.a holds a NUL character"},
		{name: "NUL of a hidden value", elements: []any{"{h}"}, args: registry.Args{"h": "secret\x00"}, err: "a value that the server fills in holds a NUL"},
		{name: "NUL of the file", elements: []any{"a\x00b"}, err: "an argument that the configuration writes holds a NUL"},
		{name: "as long as can be", elements: []any{"{a}"}, args: registry.Args{"a": long}, want: []string{long}},
		{name: "a byte longer", elements: []any{"{a}"}, args: registry.Args{"a": long + "x"}, err: "args.a is longer than the 131071 bytes"},
		{name: "2 MiB", elements: []any{"{a}"}, args: registry.Args{"a": strings.Repeat("x", 2<<20)}, err: "args.a is longer than"},
		{name: "together too long", elements: many, args: registry.Args{"a": long}, err: "the arguments are longer than the 2097152 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := childCommand(t, "args", test.elements...)
			c.AllowDash = test.dash
			a, err := newArgv(c, params)
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.build(test.args)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("got %v, want an error with %q", err, test.err)
				}
				if strings.Contains(err.Error(), "secret") {
					t.Fatalf("%v: shows a hidden value", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got = got[2:]; !(len(got) == 0 && len(test.want) == 0) && !reflect.DeepEqual(got, test.want) {
				t.Fatalf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A refused value means that nothing was started, not that something failed.
func TestRefusedValueStartsNothing(t *testing.T) {
	t.Parallel()
	m := runnable(t, childCommand(t, "args", "{a}"), text("a")...)
	for _, value := range []string{"-rf", "a\x00b", strings.Repeat("x", 2<<20)} {
		out, err := m.Run(t.Context(), registry.Args{"a": value})
		if out != nil || err == nil {
			t.Fatalf("%.10q: got %v, %v", value, out, err)
		}
		if got := stateOf(t, registry.Destructive, err); got != registry.NotRun {
			t.Errorf("%.10q: state %q, want %q", value, got, registry.NotRun)
		}
	}
}

// FuzzArgv: whatever a value is, it is refused or arrives as it is, in one element, and never as an option.
func FuzzArgv(f *testing.F) {
	for i, value := range metacharacters {
		f.Add(value, metacharacters[len(metacharacters)-1-i], i%2 == 0)
	}
	f.Add("-x", "\x00", false)
	f.Add("", "-x", true)
	c := childCommand(f, "args", "{a}", "--a={a}", "{a}{b}", []string{"--b", "{b}"}, "last")
	a, err := newArgv(c, text("a", "b"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, first, second string, both bool) {
		args := registry.Args{"a": first, "b": ""}
		want := []string{first, "--a=" + first, first, "--b", "", "last"}
		if both {
			args["b"] = second
			want[2], want[4] = first+second, second
		}
		got, err := a.build(args)
		bad := strings.Contains(first+args["b"].(string), "\x00") || strings.HasPrefix(want[0], "-") || strings.HasPrefix(want[2], "-") ||
			strings.HasPrefix(want[4], "-") || len(first)+len(second)+4 > maxElement
		if err != nil {
			if !bad {
				t.Fatalf("refused %q, %q: %v", first, args["b"], err)
			}
			return
		}
		if got = got[2:]; !reflect.DeepEqual(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		for _, element := range []int{0, 2, 4} {
			if strings.HasPrefix(got[element], "-") || strings.Contains(got[element], "\x00") {
				t.Fatalf("element %d is %q", element, got[element])
			}
		}
	})
}
