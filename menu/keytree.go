package menu

import (
	"slices"
	"strconv"
	"strings"
)

// keyNode is one key of key lines, with what stands behind it or below it.
type keyNode struct {
	key, value string
	indent     int
	members    []*keyNode
	below      int      // their indent
	items      []string // of the lines "- item" below it
	dash       int      // their indent
}

const (
	maxKeyLines = 1000
	keyLevels   = 3 // the call, its arguments, and the fields of one
	minIndent   = 2 // blanks by which a level is indented more than the one above: one blank may have been lost
)

// keyTree reads lines into a tree and gives what stands at its top. why says what does not fit.
func keyTree(inside string) (top []*keyNode, why string) {
	root := &keyNode{}
	t := keyTreeReader{levels: []*keyNode{root}}
	number := 0
	for line := range strings.SplitSeq(inside, "\n") {
		number++
		if line = strings.TrimRight(line, " \t\r"); line == "" {
			continue
		}
		if why := t.add(line); why != "" {
			return nil, "line " + strconv.Itoa(number) + " of the fence: " + why
		}
		if number > maxKeyLines {
			return nil, "a fence of more than 1,000 lines"
		}
	}
	return root.members, ""
}

type keyTreeReader struct {
	levels []*keyNode // whose members may follow, the outermost first
	last   *keyNode   // the last key; nil before the first
}

func (t *keyTreeReader) add(line string) (why string) {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if item, ok := strings.CutPrefix(text+" ", "- "); ok {
		return t.item(strings.Trim(item, " "), indent)
	}
	key, value, ok := keyLine(text)
	if !ok {
		return `it is not of the form "key: value"`
	}
	if !t.enter(indent) {
		return "its indentation fits no line above"
	}
	level := t.levels[len(t.levels)-1]
	if slices.ContainsFunc(level.members, func(n *keyNode) bool { return n.key == key }) {
		return "its key stands there twice"
	}
	t.last = &keyNode{key: key, value: value, indent: indent}
	level.members = append(level.members, t.last)
	return ""
}

// enter makes the level with an indentation the last of those that are open.
func (t *keyTreeReader) enter(indent int) bool {
	if t.last == nil {
		t.levels[0].below = indent
		return true
	}
	for i, level := range t.levels {
		if level.below == indent {
			t.levels = t.levels[:i+1]
			return true
		}
	}
	if indent < t.last.indent+minIndent || t.last.value != "" || t.last.items != nil || len(t.levels) == keyLevels {
		return false
	}
	t.last.below = indent
	t.levels = append(t.levels, t.last)
	return true
}

// item adds a line "- item" to the key above. A list may be indented as its key is.
func (t *keyTreeReader) item(text string, indent int) (why string) {
	key := t.last
	switch {
	case key == nil || key.value != "" || key.members != nil:
		return "an item belongs below a key without a value"
	case key.items == nil && indent != key.indent && indent < key.indent+minIndent, key.items != nil && indent != key.dash:
		return "its indentation fits no line above"
	case text == "" || strings.Contains(text, "- "):
		return "an item must be one value"
	}
	key.items, key.dash = append(key.items, text), indent
	return ""
}
