package decide

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// The inputs of a decision are foreign text. In the prompt they stand as quotes, so that nothing in them can look
// like an option or like words of ours; where the picker has just sent them they are only named.

// promptText puts the inputs into a decision's prompt.
func (d *Decision) promptText(inputs json.RawMessage, full bool) (string, error) {
	bound, err := d.inputs.Check(inputs)
	if err != nil {
		return "", err
	}
	w := promptWriter{d: d, args: bound.Args, full: full}
	marks := make(registry.Args, len(d.Params))
	for i := range d.Params {
		marks[d.Params[i].Name] = mark(i)
	}
	text, _ := d.prompt.Expand(marks)
	return w.write(text), nil
}

// mark stands for an input until the lines of the prompt are known. A prompt can't hold one: NUL is in no template.
func mark(i int) string { return fmt.Sprintf("\x00%d\x00", i) }

type promptWriter struct {
	d      *Decision
	args   registry.Args
	full   bool
	texts  map[int]string // inputs as text
	inside map[int]string // inputs as they stand in the middle of a line
	quoted map[int]bool   // inputs that have been quoted in full on lines of their own
	below  []int          // inputs that were too long for their line
}

func (w *promptWriter) write(text string) string {
	w.texts, w.inside, w.quoted = map[int]string{}, map[int]string{}, map[int]bool{}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for n, line := range lines {
		if strings.IndexByte(line, 0) >= 0 {
			lines[n] = w.line(line)
		}
	}
	for _, i := range w.below {
		lines = append(lines, w.d.Params[i].Name+":", menu.Quote(w.value(i)))
	}
	return strings.Join(lines, "\n")
}

// line writes a line of the prompt that has marks. An input that is alone on its line is a quote there; in the middle of a line a
// short one is quoted in place and a long one is moved below. What a mark gives way to holds no mark, so every second part is one.
func (w *promptWriter) line(line string) string {
	parts := strings.Split(line, "\x00")
	if len(parts) == 3 && strings.TrimSpace(parts[0]+parts[2]) == "" {
		return w.alone(marked(parts[1]))
	}
	for n := 1; n < len(parts); n += 2 {
		parts[n] = w.inline(marked(parts[n]))
	}
	return strings.Join(parts, "")
}

// marked is the input that a mark stands for.
func marked(number string) int {
	i, _ := strconv.Atoi(number)
	return i
}

func (w *promptWriter) alone(i int) string {
	name := w.d.Params[i].Name
	_, given := w.args[name]
	switch {
	case !w.full || !given:
		return "> " + w.named(i)
	case w.quoted[i]:
		return fmt.Sprintf("> (%s: above)", name)
	}
	w.quoted[i] = utf8.RuneCountInString(w.value(i)) > shortValue
	return menu.Quote(w.value(i))
}

// shortValue is the longest input, in characters, that is quoted in the middle of a line, and more than once.
const shortValue = 80

func (w *promptWriter) inline(i int) string {
	text, known := w.inside[i]
	if !known {
		text = w.inlined(i)
		w.inside[i] = text
	}
	return text
}

func (w *promptWriter) inlined(i int) string {
	_, given := w.args[w.d.Params[i].Name]
	if !w.full || !given {
		return w.named(i)
	}
	value := w.value(i)
	if utf8.RuneCountInString(value) <= shortValue && !strings.ContainsAny(value, "\r\n\x00") {
		return `"` + menu.Fold(value, shortValue) + `"`
	}
	w.below = append(w.below, i)
	return fmt.Sprintf("(%s: below)", w.d.Params[i].Name)
}

// named names an input instead of repeating it.
func (w *promptWriter) named(i int) string {
	name := w.d.Params[i].Name
	if _, given := w.args[name]; !given {
		return fmt.Sprintf("(%s: not given)", name)
	}
	n := utf8.RuneCountInString(w.value(i))
	return fmt.Sprintf("(%s: as you gave it, %s %s)", name, thousands(n), plural(n, "character", "characters"))
}

// value is an input as text.
func (w *promptWriter) value(i int) string {
	text, known := w.texts[i]
	if !known {
		text = asText(w.args[w.d.Params[i].Name])
		w.texts[i] = text
	}
	return text
}

func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := encoded(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// thousands writes a count as people read it: 12,400.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
