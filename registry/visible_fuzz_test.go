package registry

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/validate"
)

// neverShown are the characters that command a terminal, turn text around or hide it, written out once more.
var neverShown = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00, 0x08, 1}, {0x0b, 0x0c, 1}, {0x0e, 0x1f, 1}, // C0, without tab, line feed and carriage return
		{0x7f, 0x9f, 1},                                                                    // DEL and C1
		{0x061c, 0x061c, 1}, {0x200e, 0x200f, 1}, {0x202a, 0x202e, 1}, {0x2066, 0x2069, 1}, // direction
		{0xfeff, 0xfeff, 1},
	},
	R32: []unicode.Range32{{0xe0000, 0xe007f, 1}}, // tags
}

// FuzzVisible: whatever comes in, what goes out is UTF-8 without these characters, no more than six times as long, and stays
// as it is when it comes in again. JSON keeps its value.
func FuzzVisible(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "a\r\nb\rc\td", "\x1b[31mred\x1b]8;;http://x\x07", "\u202eevil\u2066", "\xff\xfe\x9b31m", "\ufeff{}", "\U000e0041\u200d\u200b", "\x7f\b\x00",
		`{"a":"\u001b","b":["é",1.50,null]}`, "{\"\u009b\":\"\u202e\U000e0041\"}", "[\r\n1]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shown := Visible(text)
		if i := strings.IndexFunc(strings.ReplaceAll(shown, "\r\n", ""), func(r rune) bool { return r == '\r' || unicode.Is(neverShown, r) }); i >= 0 {
			t.Errorf("%q of %q", shown, text)
		}
		inBounds(t, "Visible", text, shown)
		if again := Visible(shown); again != shown {
			t.Errorf("%q becomes %q", shown, again)
		}

		line := OneLine(text, len(text))
		if i := strings.IndexFunc(line, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("one line: %q of %q", line, text)
		}
		inBounds(t, "OneLine", text, line)
		if again := OneLine(line, len(line)); again != line {
			t.Errorf("one line: %q becomes %q", line, again)
		}
		if short := OneLine(text, 3); utf8.RuneCountInString(text) > 3 && !strings.HasSuffix(short, "…") || len(short) > 3*len(`\U000e0041`)+len("…") {
			t.Errorf("three characters of %q are %q", text, short)
		}

		was, err := validate.Decode(json.RawMessage(text))
		if err != nil {
			return
		}
		raw := VisibleJSON(json.RawMessage(text))
		if i := strings.IndexFunc(string(raw), func(r rune) bool { return unicode.Is(neverShown, r) }); i >= 0 {
			t.Errorf("JSON: %q of %q", raw, text)
		}
		inBounds(t, "VisibleJSON", text, string(raw))
		if is, err := validate.Decode(raw); err != nil || !reflect.DeepEqual(was, is) {
			t.Errorf("%s became %s: %v", text, raw, err)
		}
		if again := VisibleJSON(raw); string(again) != string(raw) {
			t.Errorf("JSON: %q becomes %q", raw, again)
		}
	})
}

// inBounds checks what holds of every text that is made visible. An escape of one byte takes four, in JSON six.
func inBounds(t *testing.T, what, text, shown string) {
	t.Helper()
	if !utf8.ValidString(shown) {
		t.Errorf("%s: %q of %q is not UTF-8", what, shown, text)
	}
	if len(shown) > 6*len(text)+len("…") {
		t.Errorf("%s: %d bytes of %d", what, len(shown), len(text))
	}
}
