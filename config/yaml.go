package config

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// readYAML reads one document. Its positions are those of the file. Of what YAML has, anchors, aliases, tags, merge
// keys, complex keys, directives and further documents are refused, with the form to write instead. After the first
// error the rest is not read, since its structure is unknown.
func readYAML(data []byte) (*node, *syntax) {
	src, bad := plainText(data)
	if bad != nil {
		return nil, bad
	}
	root, bad := document(src)
	if bad != nil {
		return nil, bad
	}
	if root == nil {
		return &node{pos: Pos{1, 1}}, nil
	}
	r := reader{src: src, here: Pos{1, 1}}
	n := r.value(root, 0)
	return n, r.bad
}

// document parses a text that plainText let pass; nil when nothing is in it. A panic of the library is an error like
// others.
func document(src string) (root *yaml.Node, bad *syntax) {
	defer func() {
		if r := recover(); r != nil {
			root, bad = nil, &syntax{Pos{1, 1}, fmt.Sprintf("the YAML library stopped: %.200v", r), "Write the file more simply"}
		}
	}()
	if line := directive(src); line > 0 {
		return nil, &syntax{Pos{line, 1}, noDirectives, "Remove the line"}
	}
	l, err := yaml.NewLoader(strings.NewReader(src), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		return nil, &syntax{Pos{1, 1}, err.Error(), ""}
	}
	var first, second yaml.Node
	switch err := l.Load(&first); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, fault(src, err)
	}
	if err := l.Load(&second); !errors.Is(err, io.EOF) {
		return nil, afterEnd(src, &second, err)
	}
	if root = first.Content[0]; absent(root) {
		return nil, nil
	}
	return root, nil
}

// directive is the number of the line of a directive before the document, which the library would follow; 0 without one.
func directive(src string) int {
	for i, rest := 1, src; rest != ""; i++ {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if strings.HasPrefix(line, "%") {
			return i
		}
		if text := strings.TrimLeft(line, " \t"); text != "" && text[0] != '#' {
			return 0
		}
	}
	return 0
}

// reader makes our tree of the library's. It looks at the text again where the library takes what a person hardly
// meant. Each byte is looked at a bounded number of times.
type reader struct {
	src   string
	here  Pos // of the byte at, which moves on from value to value
	at    int
	depth int
	bad   *syntax
}

// fail notes the first error.
func (r *reader) fail(p Pos, message, fix string) {
	if r.bad == nil {
		r.bad = &syntax{p, message, fix}
	}
}

func place(n *yaml.Node) Pos { return Pos{n.Line, n.Column} }

const (
	quotes = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle
	blocks = yaml.LiteralStyle | yaml.FoldedStyle
)

// absent reports whether nothing stands where a value could.
func absent(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&(quotes|blocks|yaml.TaggedStyle) == 0 && n.Tag != "!" && n.Anchor == ""
}

// value reads one value. Text in quotes that goes on over lines stands deeper than indent blanks.
func (r *reader) value(n *yaml.Node, indent int) *node {
	out := &node{pos: place(n)}
	if r.depth++; r.depth > maxDepth {
		r.fail(out.pos, tooDeep, "Write it flatter")
	}
	defer func() { r.depth-- }()
	if r.refused(n) || r.bad != nil {
		return out
	}
	if n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle == 0 {
		indent = n.Column
	}
	switch n.Kind {
	case yaml.MappingNode:
		out.kind = mapping
		for i := 0; i+1 < len(n.Content) && r.key(n.Content[i], n); i += 2 {
			k := n.Content[i]
			out.keys = append(out.keys, entry{k.Value, place(k), r.value(n.Content[i+1], indent)})
		}
	case yaml.SequenceNode:
		out.kind = list
		for _, item := range n.Content {
			if r.bad != nil {
				break
			}
			out.items = append(out.items, r.value(item, indent))
		}
	default:
		r.scalar(out, n, indent)
	}
	return out
}

// refused says what of YAML is not read.
func (r *reader) refused(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.fail(place(n), noAnchors, quoteOrValue)
	case n.Style&yaml.TaggedStyle != 0 || n.Tag == "!":
		r.fail(place(n), noTags, putInQuotes)
	default:
		return false
	}
	return true
}

// key checks one key of a map.
func (r *reader) key(k, of *yaml.Node) bool {
	if r.bad != nil || r.refused(k) {
		return false
	}
	start, flow := r.offset(k), of.Style&yaml.FlowStyle != 0
	written, whole := r.written(k, start)
	switch before := strings.TrimRight(r.src[:start], " \t"); {
	case strings.HasSuffix(before, "?"):
		r.fail(Pos{k.Line, k.Column - (start - len(before)) - 1}, noComplexKeys, "Write name: value")
	case !flow && k.Column != of.Column:
		r.fail(place(k), noComplexKeys, "Write name: value")
	case k.Kind == yaml.MappingNode && k.Style&yaml.FlowStyle != 0:
		r.fail(place(k), noListKeys, `Write a name as key, or put a text with braces in quotes, like "{name}"`)
	case k.Kind != yaml.ScalarNode:
		r.fail(place(k), noListKeys, "Write a name as key")
	case absent(k):
		r.fail(place(k), "a key is missing before the colon", "Write one, or put the text in quotes")
	case k.Value == "<<" && k.Style == 0:
		r.fail(place(k), "merge keys are not read", "Write the keys out")
	case len(k.Value) > maxKey:
		r.fail(place(k), fmt.Sprintf("a key of more than %d bytes", maxKey), "Write a shorter key")
	case !whole || strings.Contains(written, "\n"):
		r.fail(place(k), keyOverLines, "Write the key on one line")
	case flow && !colonFollows(r.src[start+len(written):]):
		r.fail(place(k), "a key without a value in a map", "Write key: value, or use square brackets for a list")
	}
	return r.bad == nil
}

// colonFollows reports whether the next thing that is neither white space nor comment is a colon.
func colonFollows(s string) bool {
	for {
		s = strings.TrimLeft(s, " \t\n")
		if !strings.HasPrefix(s, "#") {
			return strings.HasPrefix(s, ":")
		}
		_, s, _ = strings.Cut(s, "\n")
	}
}

// scalar reads one text, number or word.
func (r *reader) scalar(out *node, n *yaml.Node, indent int) {
	out.text, out.kind = n.Value, text
	if out.quoted = n.Style&(quotes|blocks) != 0; !out.quoted {
		out.kind = resolve(n.Value)
	}
	if (out.kind == number || out.kind == odd) && len(n.Value) > maxNumber {
		r.fail(out.pos, fmt.Sprintf("a number of more than %d characters", maxNumber), "Put it in quotes if it is text")
	}
	if strings.ContainsRune(n.Value, 0) {
		r.fail(out.pos, "no text can hold the character number 0", "Remove it, or use single quotes for a backslash")
	}
	start := r.offset(n)
	written, whole := r.written(n, start)
	switch {
	case n.Style&quotes != 0 && outdented(written, indent):
		r.fail(out.pos, "this quote is not closed before the next key", "Close it, or indent the lines of the text deeper than its key")
	case !whole && n.Style&blocks == 0:
		r.dashBelow(n, start)
	}
}

// offset is where a node starts. Nodes come in the order of the file, so that it counts each character once.
func (r *reader) offset(n *yaml.Node) int {
	if n.Line < r.here.Line || n.Line == r.here.Line && n.Column < r.here.Col {
		r.here, r.at = Pos{1, 1}, 0
	}
	for r.here.Line < n.Line {
		end := strings.IndexByte(r.src[r.at:], '\n')
		if end < 0 {
			return len(r.src)
		}
		r.here, r.at = Pos{r.here.Line + 1, 1}, r.at+end+1
	}
	for r.here.Col < n.Column && r.at < len(r.src) && r.src[r.at] != '\n' {
		_, size := utf8.DecodeRuneInString(r.src[r.at:])
		r.here.Col++
		r.at += size
	}
	return r.at
}

// written is how a scalar that starts at an offset is written, with its quotes. It is whole when that is all of it:
// not so plain text that goes on in the next line, and blocks.
func (r *reader) written(n *yaml.Node, start int) (s string, whole bool) {
	src := r.src[start:]
	if n.Style&quotes == 0 {
		return src[:min(len(n.Value), len(src))], n.Style&blocks == 0 && strings.HasPrefix(src, n.Value)
	}
	for i := 1; i < len(src); i++ {
		switch {
		case src[i] == '\\' && src[0] == '"', src[0] == '\'' && strings.HasPrefix(src[i:], "''"):
			i++
		case src[i] == src[0]:
			return src[:i+1], true
		}
	}
	return src, false
}

// outdented reports whether a line after the first has text and is indented by less than indent blanks.
func outdented(s string, indent int) bool {
	for i := strings.IndexByte(s, '\n'); i >= 0; i = strings.IndexByte(s, '\n') {
		s = s[i+1:]
		line, _, _ := strings.Cut(s, "\n")
		if text := strings.TrimLeft(line, " \t"); text != "" && len(line)-len(text) < indent {
			return true
		}
	}
	return false
}

// dashBelow refuses plain text with a line that looks like an entry of a list. It starts at an offset and goes on to
// the end of its line, so that each line can be taken off its value.
func (r *reader) dashBelow(n *yaml.Node, start int) {
	src, value := r.src[start:], n.Value
	for line := n.Line; value != "" && src != ""; line++ {
		var written string
		written, src, _ = strings.Cut(src, "\n")
		text := strings.Trim(written, " \t")
		if line > n.Line && dashed(text) {
			r.fail(Pos{line, strings.IndexByte(written, '-') + 1}, "a list below a text", "Remove the text above, or put it in quotes together with this line")
			return
		}
		rest, ok := strings.CutPrefix(value, text)
		if !ok {
			return // the last line, with a comment or a bracket behind it
		}
		value = strings.TrimLeft(rest, " \n")
	}
}

// dashed reports whether a line starts an entry of a list.
func dashed(text string) bool {
	return text == "-" || strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "-\t")
}
