package trace

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Message is one part of a history as a model reads it. Head is a line of ours and holds nothing foreign but the name of
// a method, made harmless. Text is what somebody said or a method gave, as it was: data. It may stand as it is in a
// message of its own role, or as the arguments or the result of a tool call; in any other text it stands quoted, as
// String and Transcript do it.
type Message struct {
	Node string // the id
	Role Role
	Name string // of the method, as it was
	Head string // "" = the role alone says what it is
	Text string
	Cut  int // characters of Text that were left out; a line in it says so
}

// Role is whose a message is.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleCall      Role = "call"   // a model's call of a tool
	RoleResult    Role = "result" // what became of it; each call has one, right behind it
)

// What is longer than maxShown characters is shown as its first and last lines, within characters that are fewer.
const (
	maxShown  = 32_000
	headLines = 60
	tailLines = 40
	headChars = 18_000
	tailChars = 12_000
)

// freshTurns is for how many things that the user said the results of tools are shown whole. Since the user alone moves
// it, nothing shrinks while a model is at work.
const freshTurns = 3

// Render makes messages of the nodes that a View or a Context shows. The same nodes give the same messages.
func Render(nodes []Node) []Message {
	turns := 0
	for i := range nodes {
		if nodes[i].Kind == KindUser {
			turns++
		}
	}
	var out []Message
	for i := range nodes {
		n := &nodes[i]
		switch n.Kind {
		case KindUser:
			out = append(out, n.says(RoleUser, "", n.Input))
			turns--
		case KindLLM:
			out = n.renderModel(out)
		case KindCode:
			out = n.renderCall(out, turns >= freshTurns)
		}
	}
	return out
}

func (n *Node) renderModel(out []Message) []Message {
	switch {
	case n.Status == StatusRunning:
		return out
	case n.Status != StatusDone:
		return append(out, n.says(RoleUser, "A call of a model "+ending[n.Status], n.Error))
	case n.Output == "" && n.CutOutput > 0:
		return append(out, n.says(RoleAssistant, "What the model said is left out here.", ""))
	case n.Covers != nil:
		return append(out, n.says(RoleAssistant, fmt.Sprintf("A summary of %d messages before this:", len(n.Covers)), n.Output))
	}
	return append(out, n.says(RoleAssistant, "", n.Output))
}

// ending says of what is over and not done how it ended. None of it is to be resumed by whoever reads it.
var ending = map[Status]string{
	StatusFailed:    "failed. That is over and does not go on. What it said:",
	StatusCancelled: "was cancelled. That is over and does not go on. What it said:",
	StatusNotRun:    "was not run. That is over and does not go on. What was said:",
	StatusUnknown:   "may have run: it is not known whether and how it ended. It does not go on.",
	StatusRunning:   "has not ended yet.",
}

func (n *Node) renderCall(out []Message, old bool) []Message {
	name := foldName(n.Name)
	calls, gives := RoleUser, RoleAssistant
	if n.Tool {
		calls, gives = RoleCall, RoleResult
	} else if n.Doc != "" {
		out = append(out, n.says(RoleUser, name+" is described as:", n.Doc))
	}
	args := string(n.Args)
	if args == "" {
		args = "{}"
	}
	out = append(out, n.says(calls, name+" was called with:", args))
	switch {
	case n.Status == StatusRunning && !n.Tool:
		return out
	case n.Status != StatusDone:
		return append(out, n.says(gives, name+" "+ending[n.Status], n.Error))
	case n.Tool && old:
		m := n.says(gives, "", "")
		m.Cut = utf8.RuneCountInString(n.Output)
		m.Head = fmt.Sprintf("%s gave %d characters, left out here since it was more than %d turns ago.", name, m.Cut, freshTurns)
		return append(out, m)
	}
	return append(out, n.says(gives, name+" gave:", n.Output))
}

// says makes a message of a text.
func (n *Node) says(role Role, head, text string) Message {
	m := Message{Node: n.ID, Role: role, Head: head}
	if n.Kind == KindCode {
		m.Name = n.Name
	}
	m.Text, m.Cut = shorten(text)
	return m
}

// shorten leaves the middle of a long text out, and says so in its place.
func shorten(text string) (string, int) {
	if len(text) <= maxShown {
		return text, 0
	}
	all := utf8.RuneCountInString(text)
	if all <= maxShown {
		return text, 0
	}
	head := firstLines(text)
	tail := lastLines(text[len(head):])
	cut := all - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return fmt.Sprintf("%s\n[%d characters left out]\n%s", strings.TrimSuffix(head, "\n"), cut, tail), cut
}

func firstLines(text string) string {
	lines, chars := 0, 0
	for i, r := range text {
		if chars == headChars || lines == headLines {
			return text[:i]
		}
		chars++
		if r == '\n' {
			lines++
		}
	}
	return text
}

func lastLines(text string) string {
	end := len(text)
	lines := 0
	for chars := 0; end > 0 && chars < tailChars; chars++ {
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if r == '\n' && end < len(text) {
			if lines++; lines == tailLines {
				break
			}
		}
		end -= size
	}
	return text[end:]
}

// String is a message in a text: its head, or whose it is, and below it what was said, quoted.
func (m Message) String() string {
	var b strings.Builder
	m.write(&b)
	return b.String()
}

// Transcript is a history as one text. Each line either starts with "> " and is data, or is ours.
func Transcript(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		m.write(&b)
	}
	return b.String()
}

func (m Message) write(b *strings.Builder) {
	switch {
	case m.Head != "":
		b.WriteString(m.Head)
	case m.Role == RoleUser:
		b.WriteString("The user said:")
	default:
		b.WriteString("The model said:")
	}
	b.WriteByte('\n')
	if m.Text != "" {
		quote(b, m.Text)
	}
}
