package decide

import (
	"encoding/json"
	"fmt"
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
	d     *Decision
	args  registry.Args
	full  bool
	below []int // inputs that were too long for their line
}

func (w *promptWriter) write(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for n, line := range lines {
		lines[n] = w.line(line)
	}
	for _, i := range w.below {
		lines = append(lines, w.d.Params[i].Name+":", menu.Quote(w.value(i)))
	}
	return strings.Join(lines, "\n")
}

// line writes one line of the prompt. An input that is alone on its line is a quote there; in the middle of a line a short one
// is quoted in place and a long one is moved below.
func (w *promptWriter) line(line string) string {
	for i := range w.d.Params {
		m := mark(i)
		if strings.TrimSpace(line) == m {
			return w.alone(i)
		}
		if strings.Contains(line, m) {
			line = strings.ReplaceAll(line, m, w.inline(i))
		}
	}
	return line
}

func (w *promptWriter) alone(i int) string {
	_, given := w.args[w.d.Params[i].Name]
	if !w.full || !given {
		return "> " + w.named(i)
	}
	return menu.Quote(w.value(i))
}

// shortValue is the longest input, in characters, that is quoted in the middle of a line.
const shortValue = 80

func (w *promptWriter) inline(i int) string {
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
	v := w.args[w.d.Params[i].Name]
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
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
