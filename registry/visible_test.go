package registry

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/validate"
)

// Whatever a program prints, no character that commands a terminal or hides text is left.
func TestVisible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), hostile()).Draw(t, "text")
		got := Visible(text)
		if i := strings.IndexFunc(strings.ReplaceAll(got, "\r\n", "\n"), invisible); i >= 0 {
			t.Fatalf("%q of %q", got, text)
		}
		if again := Visible(got); again != got {
			t.Fatalf("%q, and then %q", got, again)
		}
	})
}

// JSON keeps its value, whatever is shown as an escape.
func TestVisibleJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(map[string]string{"k" + hostile().Draw(t, "key"): hostile().Draw(t, "text")})
		if err != nil {
			t.Fatal(err)
		}
		got := VisibleJSON(raw)
		if i := strings.IndexFunc(string(got), invisible); i >= 0 {
			t.Fatalf("%q of %q", got, raw)
		}
		was, err := validate.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		is, err := validate.Decode(got)
		if err != nil || !reflect.DeepEqual(was, is) {
			t.Fatalf("%s became %s: %v", raw, got, err)
		}
	})
}

// hostile makes texts of characters that hide, command or turn around, between harmless ones.
func hostile() *rapid.Generator[string] {
	return rapid.StringOf(rapid.RuneFrom([]rune("a\n\r\t\x00\x07\b\x1b\x7f\u0080\u009b\u061c\u200b\u200d\u200e\u202e\u2066\ufeff\U000e0041é日🎉\\\"")))
}
