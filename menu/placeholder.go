package menu

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/mcp-decide/mcp-decide/registry"
)

const maxPlaceholder = 64 // bytes inside <...>

// isPlaceholder reports whether a text stands for a value that was not filled in: <order_id>,
// <true or false>, an ellipsis. A tag with a slash, a colon or the like is ordinary text, and so
// is a text that the parameter lists.
//
// The text is the inside of a JSON text, as it was written.
func isPlaceholder(inside string, p *registry.Param) bool {
	if len(inside) > 6*(maxPlaceholder+2) || inside == "" {
		return false
	}
	text := strings.TrimSpace(unquoted(inside))
	if text == "..." || text == "…" {
		return !lists(p, text)
	}
	return len(text) > 2 && (bareplaceholder(text) == len(text) || p != nil && isTemplate(text, p)) && !lists(p, text)
}

// isTemplate reports whether a text is the parameter's own name in the brackets of some template, or with its type in the menu's:
// {order_id}, ${order_id}, [order_id], ＜order_id＞, <order_id: str>.
func isTemplate(text string, p *registry.Param) bool {
	text = strings.TrimPrefix(text, "$")
	for _, pair := range [...][2]string{{"{{", "}}"}, {"{", "}"}, {"[", "]"}, {"<", ">"}, {"＜", "＞"}, {"‹", "›"}, {"&lt;", "&gt;"}} {
		inside, opens := strings.CutPrefix(text, pair[0])
		if inside, closes := strings.CutSuffix(inside, pair[1]); opens && closes {
			name, _, _ := strings.Cut(strings.TrimSpace(inside), ":")
			return p.Name != "" && sameLetters(name, p.Name)
		}
	}
	return false
}

func lists(p *registry.Param, text string) bool {
	if p == nil {
		return false
	}
	for _, v := range readable(p).Enum {
		var listed string
		if json.Unmarshal(v, &listed) == nil && listed == text {
			return true
		}
	}
	return false
}

// bareplaceholder is the length of <word or words> at the start of text, 0 when there is none.
func bareplaceholder(text string) int {
	if len(text) < 3 || text[0] != '<' {
		return 0
	}
	letters := false
	for i, r := range text[1:] {
		switch {
		case r == '>' && letters:
			return i + 2
		case i > maxPlaceholder:
			return 0
		case unicode.IsLetter(r):
			letters = true
		case r == '.' || r == '…':
			letters = true
		case unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_- ,'[]", r):
		default:
			return 0
		}
	}
	return 0
}
