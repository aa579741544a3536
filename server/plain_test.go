package server

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzPlain: whatever stands in a title or description, clients get UTF-8 of the wanted length without a character that commands, turns
// around or hides, and it stays as it is when it comes in again.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"", "plain", " \x1b[31mred\x1b]8;;http://x\x07 ", "\u202eevil\u2066\u200b", "\xff\x9b31m", "a\u200db\u200cc\n\td", "日本語日本語", "\ufeff\U000e0041", "x\u2028y"} {
		f.Add(seed, uint8(10))
	}
	f.Fuzz(func(t *testing.T, text string, room uint8) {
		most := int(room) + len("…")
		got := plain(text, most)
		if !utf8.ValidString(got) || len(got) > most {
			t.Errorf("%q of %q: %d bytes, want %d", got, text, len(got), most)
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return unicode.In(r, unicode.Cc, unicode.Cf) && !strings.ContainsRune("\n\t\u200c\u200d", r)
		}); i >= 0 {
			t.Errorf("%q of %q", got, text)
		}
		if again := plain(got, most); again != got {
			t.Errorf("%q becomes %q", got, again)
		}
	})
}
