package config

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v4"
)

// What is not read is said in the same words whoever finds it, the library or we.
const (
	tooDeep       = "more than 64 levels of nesting"
	noAnchors     = "anchors and aliases (& and *) are not read"
	noTags        = "tags (!) are not read"
	noListKeys    = "a list or a map can't be a key"
	noComplexKeys = "complex keys (?) are not read"
	noDirectives  = "directives (%) are not read"
	noColon       = "expected a key, like name: value"
	writeColon    = "Write a colon and a space behind the key, or indent the line as text of the value above"
	keyOverLines  = "a key of several lines"
	afterText     = "text after the end of the document"
	putInQuotes   = "Put the text in quotes"
	quoteOrValue  = "Write the value out, or put the text in quotes"
	newLine       = "Start a new line, or put the whole text in quotes"
	tabs          = "a tab in the indentation"
	spaces        = "Indent with spaces"
)

// fault says in our words what the library found wrong.
func fault(src string, err error) *syntax {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return &syntax{Pos{1, 1}, "this is not YAML: " + err.Error(), ""}
	}
	f := finding{LoadError: e, lines: strings.Split(src, "\n")}
	at, from := f.locate(e.Mark), f.locate(e.ContextMark)
	if strings.HasPrefix(f.lines[at.Line-1], "%") {
		return &syntax{Pos{at.Line, 1}, noDirectives, "Remove the line"}
	}
	for _, say := range faults {
		switch {
		case !strings.Contains(e.ContextMsg+": "+e.Message, say.when):
			continue
		case say.as != nil:
			return say.as(f, at, from)
		case say.start && e.ContextMark.Line > 0:
			return &syntax{from, say.message, say.fix}
		}
		return &syntax{at, say.message, say.fix}
	}
	return &syntax{at, "this is not YAML: " + e.Message, ""}
}

// faults are pieces of the library's messages and how each is said; the first that fits counts. A fault has the place
// where the library stopped, or where what it was reading starts.
var faults = []struct {
	when         string
	start        bool // what is said is about the start
	message, fix string
	as           func(f finding, at, from Pos) *syntax // where more than the message counts
}{
	{when: "anchor", start: true, message: noAnchors, fix: quoteOrValue},
	{when: "scanning an alias", start: true, message: noAnchors, fix: quoteOrValue},
	{when: " tag", start: true, message: noTags, fix: putInQuotes},
	{when: "max depth", message: tooDeep, fix: "Write it flatter"},
	{when: "mapping values are not allowed", as: finding.colon},
	{when: "mapping keys are not allowed", message: noComplexKeys, fix: "Write name: value"},
	{when: "sequence entries are not allowed", message: "a list can't start on the line of its key", fix: "Start it on the next line, or write [a, b]"},
	{when: "could not find expected ':'", start: true, message: noColon, fix: writeColon},
	{when: "did not find expected key", as: finding.misplaced},
	{when: "did not find expected '-'", as: finding.misplaced},
	{when: "did not find expected <document", as: finding.misplaced},
	{when: "did not find expected ','", as: finding.bracket},
	{when: "did not find expected node content", as: finding.start},
	{when: "cannot start any token", as: finding.start},
	{when: "after document-end marker", message: afterText, fix: "Remove the line with ..., or what follows"},
	{when: "tab character", message: tabs, fix: spaces},
	{when: "unexpected end of stream", as: finding.openQuote},
	{when: "unexpected document indicator", as: finding.openQuote},
	{when: "without preceding whitespace", message: "text can't start with #", fix: "Put the text in quotes, or put a blank before # for a comment"},
	{when: "unknown escape", message: "unknown escape after a backslash", fix: `Write \\ for a backslash, or use single quotes`},
	{when: "hexadecimal number", as: finding.escape},
	{when: "escape code", as: finding.escape},
	{when: "indicator equal to 0", message: "a block of text can't be indented by 0", fix: "Write | or > alone"},
	{when: "comment or line break", start: true, message: "unexpected text after | or >", fix: "Start the text on the next line"},
}

// finding is an error of the library and the text that it is about.
type finding struct {
	*yaml.LoadError
	lines []string
}

// locate is a mark as a place within the text; the library may stop on a line after the last.
func (f finding) locate(m yaml.Mark) Pos {
	if m.Line > len(f.lines) {
		return Pos{len(f.lines), len([]rune(f.lines[len(f.lines)-1])) + 1}
	}
	return Pos{max(m.Line, 1), max(m.Column, 1)}
}

// split parts a line at a place.
func (f finding) split(p Pos) (before, after string) {
	line := f.lines[p.Line-1]
	n := 1
	for i := range line {
		if n == p.Col {
			return line[:i], line[i:]
		}
		n++
	}
	return line, ""
}

// above is the nearest line above that is not empty, and its number; 0 when there is none.
func (f finding) above(line int) (string, int) {
	for line--; line > 0; line-- {
		if strings.TrimSpace(f.lines[line-1]) != "" {
			return f.lines[line-1], line
		}
	}
	return "", 0
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// colon is one that makes no key where it stands.
func (f finding) colon(at, _ Pos) *syntax {
	before, _ := f.split(at)
	line, number := f.above(at.Line)
	switch {
	case strings.HasPrefix(before, "---"):
		return &syntax{at, "a map can't start on the line of ---", "Start it on the next line"}
	case strings.Contains(before, ": ") || strings.Contains(before, ":\t") || strings.HasSuffix(before, ":"):
		return &syntax{at, "a second colon in one line", "Put the text in quotes, or start the map on the next line"}
	case strings.HasSuffix(before, `"`) || strings.HasSuffix(before, "'"):
		return &syntax{at, keyOverLines + " ends here", "Write the key on one line"}
	case number > 0 && indentOf(line) == indentOf(f.lines[at.Line-1]):
		return &syntax{Pos{number, indentOf(line) + 1}, noColon, writeColon}
	}
	return &syntax{at, "a key inside the text that starts above it", "Put the text above in quotes, or indent this line like the key it belongs to"}
}

// misplaced is what stands where the next key or entry is expected.
func (f finding) misplaced(at, from Pos) *syntax {
	before, after := f.split(at)
	if text := strings.TrimRight(before, " \t"); text != "" {
		return behind(at, text)
	}
	where, unit := "the keys above it", "the keys of one map"
	if f.Message == "did not find expected '-' indicator" {
		where, unit = "the list above it", "the entries of one list"
	}
	switch empty := f.lines[max(at.Line-2, 0)]; {
	case len(empty) > len(before) && strings.TrimSpace(empty) == "" && f.inBlock(at.Line):
		return &syntax{at, "the first line of the text is indented less than the empty line above it", "Remove the spaces from the empty line"}
	case f.ContextMsg == "":
		return &syntax{at, "this does not belong to what stands above it", "Indent it like the keys that it belongs to"}
	case at.Col != from.Col:
		return &syntax{at, fmt.Sprintf("indented by %d, %s by %d", at.Col-1, where, from.Col-1), "Indent " + unit + " alike"}
	case dashed(after):
		return &syntax{at, "a list entry among the keys of a map", "Indent it below its key, or write a key"}
	case unit == "the entries of one list":
		return &syntax{at, "a line without a dash among the entries of a list", "Write a dash before it, or indent it like the text of the entry above"}
	}
	return &syntax{at, noColon, writeColon}
}

// behind is text after what ends a value in its line.
func behind(at Pos, before string) *syntax {
	switch last := before[len(before)-1]; {
	case last != '"' && last != '\'':
		return &syntax{at, "unexpected text after the closing bracket", newLine}
	case strings.Count(before, string(last))%2 == 1:
		return &syntax{at, "text after a quote that starts in a line above", "Close that quote in its own line, or indent the lines of its text deeper than its key"}
	}
	return &syntax{at, "unexpected text after the closing quote", newLine}
}

var blockHeader = regexp.MustCompile(`[|>][-+1-9]*$`)

// inBlock reports whether a block of text starts right above the empty lines above a line.
func (f finding) inBlock(line int) bool {
	text, _ := f.above(line)
	return blockHeader.MatchString(strings.TrimRight(text, " "))
}

// bracket is one that is not closed, or what stands where a comma is expected.
func (f finding) bracket(at, from Pos) *syntax {
	open := f.lines[from.Line-1]
	switch _, after := f.split(at); {
	case f.Mark.Line > len(f.lines) || at.Line == len(f.lines) && after == "", at.Col == 1 && strings.HasPrefix(after, "---"):
		return &syntax{from, "this bracket is not closed", "Close it"}
	case at.Line > from.Line && strings.HasPrefix(after, ":") && indentOf(f.lines[at.Line-1]) <= indentOf(open):
		return &syntax{from, fmt.Sprintf("this bracket is not closed before the key in line %d", at.Line), "Close it"}
	}
	want := f.Message[len(f.Message)-2 : len(f.Message)-1]
	return &syntax{at, "expected a comma or " + want, "Part the entries with commas, put text with brackets, commas or colons in quotes"}
}

// start is a character that no value starts with.
func (f finding) start(at, _ Pos) *syntax {
	before, after := f.split(at)
	flow := f.ContextMsg == "while parsing a flow node"
	switch c := (after + " ")[0]; {
	case c == '\t':
		return &syntax{at, tabs, spaces}
	case c == '|' || c == '>':
		return &syntax{at, "a block of text can't stand within brackets", putInQuotes}
	case c == '-':
		return &syntax{at, "a list with dashes can't stand here", "Write [a, b], or put the text in quotes"}
	case c == ',' && strings.HasSuffix(strings.TrimRight(before, " "), ","):
		return &syntax{at, "two commas with nothing between them", "Remove one"}
	case c == ',' && flow:
		return &syntax{at, "a comma with nothing before it", "Remove it"}
	case strings.IndexByte(",]}", c) >= 0:
		return &syntax{at, "unexpected " + string(c), putInQuotes + ", or look for a bracket that is closed too early"}
	case c == ' ':
		return &syntax{at, "the file ends within brackets", "Close them"}
	default:
		return &syntax{at, "text can't start with " + string([]rune(after)[0]), putInQuotes}
	}
}

func (f finding) openQuote(_, from Pos) *syntax {
	_, text := f.split(from)
	inside := map[bool]string{true: "''", false: `\"`}[strings.HasPrefix(text, "'")]
	return &syntax{from, "this quote is not closed", "Close it; a quote inside the text is written " + inside}
}

// escape is a character number that there is not; at is where the number starts.
func (f finding) escape(at, _ Pos) *syntax {
	at.Col = max(at.Col-2, 1)
	_, text := f.split(at)
	half := surrogates.FindStringSubmatch(text)
	if half == nil {
		return &syntax{at, "no character has this number", `Write \u and four hexadecimal digits of a character, like \u00e9`}
	}
	high, _ := strconv.ParseUint(half[1], 16, 16)
	low, _ := strconv.ParseUint(half[2], 16, 16)
	return &syntax{at, half[0] + " are two halves of one character", fmt.Sprintf(`Write \U%08X or the character itself`, utf16.DecodeRune(rune(high), rune(low)))}
}

// surrogates are the halves of a character, as JSON writes it.
var surrogates = regexp.MustCompile(`^\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})`)

// afterEnd says why there is text after the document; err is what the library finds wrong with it.
func afterEnd(src string, second *yaml.Node, err error) *syntax {
	if err != nil {
		return &syntax{fault(src, err).pos, afterText, "Keep one document in the file"}
	}
	if strings.HasPrefix(strings.Split(src, "\n")[second.Line-1], "---") {
		return &syntax{place(second), "a second document starts here", "Keep one document in the file, remove what follows"}
	}
	return &syntax{place(second), afterText, "Remove the line with ..., or what follows"}
}
