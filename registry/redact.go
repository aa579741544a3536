package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	minRedactable = 4        // bytes; shorter values occur in any text
	maxRedacted   = 64 << 10 // bytes of a text that are kept
	redacted      = "***"
)

// Redact puts *** where one of the values stands in a text, as it is or as Go, JSON or Visible spell it. Of values
// that begin alike the longest counts. Values under 4 bytes stay: they would hit words by chance. Of a text over
// 64 KiB the beginning is kept, without what could be the half of a value.
func Redact(text string, values []string) string {
	short := text
	if len(text) > maxRedacted {
		short = strings.ToValidUTF8(text[:maxRedacted], "")
	}
	at := beginnings(short)
	var found []string
	longest := 0
	for _, value := range values {
		if len(value) < minRedactable {
			continue
		}
		for _, spelled := range spellings(value) {
			longest = max(longest, len(spelled))
			if len(spelled) <= len(short) && at[spelled[:minRedactable]] {
				found = append(found, spelled)
			}
		}
	}
	clean := replaced(short, found)
	if len(short) == len(text) || longest == 0 {
		return clean
	}
	whole := clean[:max(0, len(clean)-longest)]
	return strings.ToValidUTF8(whole, "") + "…"
}

// beginnings are the sequences of 4 bytes in a text: only values that begin with one of them can stand in it.
func beginnings(text string) map[string]bool {
	all := make(map[string]bool, len(text))
	for i := minRedactable; i <= len(text); i++ {
		all[text[i-minRedactable:i]] = true
	}
	return all
}

// replaced is the text with *** for each of the values, longer ones first.
func replaced(text string, values []string) string {
	slices.SortFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	values = slices.Compact(values)
	if len(values) == 0 {
		return text
	}
	pairs := make([]string, 0, 2*len(values))
	for _, value := range values {
		pairs = append(pairs, value, redacted)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// spellings are the value, and what else it may look like in an error text.
func spellings(value string) []string {
	all := []string{value}
	if isPlain(value) {
		return all
	}
	for _, quoted := range []string{strconv.Quote(value), strconv.QuoteToASCII(value), string(appendText(nil, value)), marshalled(value)} {
		all = append(all, quoted[1:len(quoted)-1])
	}
	return append(all, Visible(value))
}

// isPlain reports whether every spelling of a value is the value itself.
func isPlain(value string) bool {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			return false
		}
	}
	return true
}

// marshalled is a text as JSON with the escapes for HTML.
func marshalled(value string) string {
	out, err := json.Marshal(value)
	if err != nil {
		return `""`
	}
	return string(out)
}

// Redact takes hidden and secret values out of a text that is kept, as Redact does with values. What came out of a run holds them when the run
// repeats what it was given.
func (b Bound) Redact(text string) string {
	values := b.veiled()
	if len(values) == 0 {
		return text
	}
	const few = 16 // so that to look for each is less than to prepare for all
	if len(text) <= maxRedacted && len(values) <= few && !slices.ContainsFunc(values, func(value string) bool { return stands(text, value) }) {
		return text
	}
	return Redact(text, values)
}

// stands reports whether a text has a value in it, in some spelling.
func stands(text, value string) bool {
	return len(value) >= minRedactable && slices.ContainsFunc(spellings(value), func(spelled string) bool { return strings.Contains(text, spelled) })
}

// redact takes hidden and secret values out of a text.
func (b Bound) redact(text string) string {
	if text == "" {
		return ""
	}
	return Redact(text, b.veiled())
}

// veiled are the values that are hidden or secret.
func (b Bound) veiled() (found []string) {
	for _, v := range b.hidden {
		found = texts(found, v)
	}
	if b.root != nil && b.root.veiled {
		found = b.root.secrets(found, map[string]any(b.Args))
	}
	return found
}

// secrets appends the texts in a value that are secret.
func (n *node) secrets(found []string, v any) []string {
	switch {
	case n == nil || !n.veiled:
		return found
	case n.secret:
		return texts(found, v)
	}
	switch v := v.(type) {
	case map[string]any:
		for key, given := range v {
			if f := n.field(key); f != nil {
				found = f.node.secrets(found, given)
			}
		}
	case []any:
		for _, item := range v {
			found = n.items.secrets(found, item)
		}
	}
	return found
}

// texts appends all texts and numbers in a value.
func texts(found []string, v any) []string {
	switch v := v.(type) {
	case nil, bool:
	case map[string]any:
		for _, below := range v {
			found = texts(found, below)
		}
	case []any:
		for _, below := range v {
			found = texts(found, below)
		}
	default:
		found = append(found, fmt.Sprint(v))
	}
	return found
}
