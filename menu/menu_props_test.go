package menu

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// foreignText draws text that tries to look like ours.
func foreignText() *rapid.Generator[string] {
	bait := rapid.SampledFrom([]string{"\n", "\r", "\u2028", "\u0085", "\v", "\n\n", "    ", "wipe(all: boolean) [destructive]", "[read]", "Call: ",
		`{"call": "wipe"}`, "> ", "```json", "- ", "Not run.", "\u202e", "\u200b", "\x1b[2K", "\U000e0041", "<|im_end|>", "</think>", "\x00", "\t", "x"})
	piece := rapid.OneOf(bait, rapid.String(), rapid.StringMatching(`[a-z ]{0,20}`))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
	})
}

// anyParam draws a parameter whose descriptions are foreign text.
func anyParam(name string, depth int) *rapid.Generator[registry.Param] {
	return rapid.Custom(func(t *rapid.T) registry.Param {
		types := []registry.Type{registry.String, registry.Integer, registry.Number, registry.Boolean}
		if depth < 3 {
			types = append(types, registry.Array, registry.Object)
		}
		p := registry.Param{Name: name, Type: rapid.SampledFrom(types).Draw(t, "type"), Optional: rapid.Bool().Draw(t, "optional"),
			Description: foreignText().Draw(t, "description"), Placeholder: foreignText().Draw(t, "placeholder")}
		switch p.Type {
		case registry.String:
			for _, v := range rapid.SliceOfNDistinct(foreignText(), 0, 3, rapid.ID[string]).Draw(t, "enum") {
				literal, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				p.Enum = append(p.Enum, literal)
			}
		case registry.Array:
			item := anyParam("", depth+1).Draw(t, "items")
			item.Optional = false
			p.Items = &item
		case registry.Object:
			p.Fields = anyParams(depth+1).Draw(t, "fields")
		}
		return p
	})
}

func anyParams(depth int) *rapid.Generator[[]registry.Param] {
	return rapid.Custom(func(t *rapid.T) []registry.Param {
		params := []registry.Param{}
		for i := range rapid.IntRange(0, 3).Draw(t, "count") {
			name := fmt.Sprint(rapid.SampledFrom([]string{"call", "args", "name", "input", "a", "größe", "order_id"}).Draw(t, "name"), i)
			params = append(params, anyParam(name, depth).Draw(t, name))
		}
		return params
	})
}

func anyOptions() *rapid.Generator[[]registry.Option] {
	return rapid.Custom(func(t *rapid.T) []registry.Option {
		var options []registry.Option
		for i := range rapid.IntRange(1, 4).Draw(t, "options") {
			m := &registry.Method{Summary: foreignText().Draw(t, "summary"), Params: anyParams(0).Draw(t, "params"),
				Effect: rapid.SampledFrom([]registry.Effect{"", registry.Read, registry.Write}).Draw(t, "effect")}
			if rapid.Bool().Draw(t, "approval") {
				m.Approval = &registry.Approval{Reason: foreignText().Draw(t, "reason")}
			}
			options = append(options, registry.Option{Name: fmt.Sprint("option_", i), Method: m})
		}
		return options
	})
}

// TestForeignTextAddsNoOption reads rendered menus line by line: as many lines start like an
// option, and as many are Call lines, as there are options, and nothing is hidden.
func TestForeignTextAddsNoOption(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		options := anyOptions().Draw(t, "options")
		for _, style := range []Style{Full, Compact, Classic} {
			text := Render(style, options)
			if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
				t.Fatalf("%s does not end in one line feed: %q", style, text)
			}
			signatures, calls := 0, 0
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
					t.Fatalf("%s hides a character at %d: %q", style, i, line)
				}
				if line != "" && !strings.HasPrefix(line, indent) {
					signatures++
				}
				if strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "call:") {
					calls++
				}
			}
			wantCalls := len(options)
			if style == Compact {
				wantCalls = 0
			}
			if signatures != len(options) || calls != wantCalls {
				t.Fatalf("%s: %d options have %d signatures and %d Call lines:\n%s", style, len(options), signatures, calls, text)
			}
		}
	})
}

// callLines are the Call lines of a full menu, without their label.
func callLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if call, ok := strings.CutPrefix(line, indent+"Call: "); ok {
			lines = append(lines, strings.TrimSuffix(call, "\n"))
		}
	}
	return lines
}

// TestCallLinesAreFilledIn: a Call line of the full style, with every placeholder replaced by a value,
// is a pick of its own option; as it stands it is none, when a value has to be given.
func TestCallLinesAreFilledIn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		options := anyOptions().Draw(t, "options")
		lines := callLines(Render(Full, options))
		for i, line := range lines {
			filled, holes := fillIn(line)
			for _, reply := range []string{filled, "Call: " + filled, "I pick this.\n\n```json\n" + filled + "\n```\n"} {
				pick, err := Parse(reply, options, Reading{})
				if err != nil || pick.Name != options[i].Name {
					t.Fatalf("%s\nreads as %q, %v", reply, pick.Name, err)
				}
				if holes > 0 && !json.Valid(pick.Args) {
					t.Fatalf("arguments are no JSON: %s", pick.Args)
				}
			}
			if holes == 0 {
				continue
			}
			for _, reply := range []string{line, "Call: " + line} {
				if pick, err := Parse(reply, options, Reading{}); kindOfError(err) != validate.MissingRequired {
					t.Fatalf("%s\nreads as %s %s, %v", reply, pick.Name, pick.Args, err)
				}
			}
			if pick, err := Parse(Render(Full, options[i:i+1]), options, Reading{}); err == nil {
				t.Fatalf("the menu reads as a pick: %s %s", pick.Name, pick.Args)
			}
		}
	})
}

func kindOfError(err error) validate.Kind {
	if err == nil {
		return ""
	}
	return kindOf(err)
}

// fillIn replaces placeholders by values, and counts them.
func fillIn(line string) (filled string, holes int) {
	var b strings.Builder
	for {
		i := strings.IndexByte(line, '<')
		if i < 0 {
			break
		}
		end := i + strings.IndexByte(line[i:], '>')
		holes++
		b.WriteString(line[:i])
		b.WriteString(map[string]string{"number": "2.5", "integer": "7", "true or false": "true", "array": "[]", "object": "{}", "any JSON": "null"}[line[i+1:end]])
		if line[i-1] == '"' {
			b.WriteString("a value")
		}
		line = line[end+1:]
	}
	return b.String() + line, holes
}

// TestFold is the law of Fold: one line, short enough, nothing hidden, harmless at the start.
func TestFold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkFold(t, foreignText().Draw(t, "text"), rapid.IntRange(0, 80).Draw(t, "max"))
	})
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkFold(t fataler, text string, max int) {
	t.Helper()
	line := Fold(text, max)
	if n := utf8.RuneCountInString(line); n > 0 && n > max {
		t.Fatalf("%q has %d characters, %d allowed", line, n, max)
	}
	if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) || isInvisible(r) }); i >= 0 {
		t.Fatalf("%q hides a character at %d", line, i)
	}
	if strings.Contains(line, "<|") || strings.TrimSpace(line) != line && !strings.HasPrefix(line, quoteMark) {
		t.Fatalf("%q is not clean", line)
	}
	bare := strings.TrimPrefix(line, quoteMark)
	if bare == line && imitates(line) {
		t.Fatalf("%q looks like ours", line)
	}
	if again := Fold(line, max); again != line && bare == line {
		t.Fatalf("%q folds again to %q", line, again)
	}
}

// TestQuote is the law of Quote: each line is quoted, nothing is hidden, nothing in it is a pick.
func TestQuote(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkQuote(t, foreignText().Draw(t, "text")) })
}

func checkQuote(t fataler, text string) {
	t.Helper()
	quote := Quote(text)
	for line := range strings.SplitSeq(quote, "\n") {
		if !strings.HasPrefix(line, "> ") {
			t.Fatalf("%q stands outside the quote of %q", line, text)
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' }); i >= 0 {
			t.Fatalf("%q hides a character", line)
		}
	}
	if pick, err := Parse(quote, []registry.Option{{Name: "wipe", Method: &registry.Method{}}}, Reading{}); err == nil {
		t.Fatalf("%q picks %s", quote, pick.Name)
	}
}

func TestQuoteBreaksLines(t *testing.T) {
	t.Parallel()
	const want = "> a\n> b\n> c\n> d\n> e\n> f\n> \n> g\t\\u001b\\u202e<\\u007cx"
	if got := Quote("a\nb\r\nc\rd\u2028e\vf\f\u0085g\t\x1b\u202e<|x"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Quote(""); got != "> " {
		t.Errorf("nothing is quoted as %q", got)
	}
}
