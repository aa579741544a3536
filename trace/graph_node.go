package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Node is one thing that happened in a session. Its JSON is the row that a store keeps.
type Node struct {
	ID   string   `json:"id"`
	Seq  int64    `json:"seq"` // orders the nodes of a graph; from 0
	Kind NodeKind `json:"kind"`

	// Where it hangs. A node has a caller or, at the top level, a predecessor, and never both.
	Caller      string   `json:"caller,omitempty"`      // who called it
	Predecessor string   `json:"predecessor,omitempty"` // whom it follows in the conversation; Root = nobody
	Picked      string   `json:"picked,omitempty"`      // of a call: the model call by whose reply it was picked
	Covers      []string `json:"covers,omitempty"`      // of a summary, which is a model call: the nodes it stands for, each following on the one before

	// Of a call.
	Name   string          `json:"name,omitempty"`
	Doc    string          `json:"doc,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"` // as Arguments give them; Add takes them from there alone
	Tool   bool            `json:"tool,omitempty"` // a model called it, here or at the client's end, not a program
	Expose Expose          `json:"expose,omitempty"`
	Range  *Range          `json:"render_range,omitempty"` // nil = all

	Input  string `json:"input,omitempty"` // what the user said; of a model call the prompt
	Model  string `json:"model,omitempty"` // of a model call
	Status Status `json:"status"`

	// Of a node that has ended.
	Output    string `json:"output,omitempty"`
	Error     string `json:"error,omitempty"`
	TokensIn  int    `json:"tokens_in,omitempty"`
	TokensOut int    `json:"tokens_out,omitempty"`

	Time      time.Time     `json:"time"`
	Took      time.Duration `json:"took_ns,omitempty"`
	Ended     int64         `json:"ended_seq,omitempty"`   // nodes from this seq on see how it ended; 0 = it has not
	Unknown   int64         `json:"unknown_seq,omitempty"` // nodes from this seq on see that it is unknown; 0 = it never was
	CutInput  int           `json:"cut_input,omitempty"`   // bytes of the doc, the input and the arguments that were left out
	CutOutput int           `json:"cut_output,omitempty"`  // bytes of the output and the error that were left out
}

// NodeKind is what a node is.
type NodeKind string

// The kinds of nodes.
const (
	KindUser NodeKind = "user" // what a person said
	KindLLM  NodeKind = "llm"  // one call of a model
	KindCode NodeKind = "code" // one call of a method
)

// Status is how far a node is.
type Status string

// The statuses. All but running and unknown are final.
const (
	StatusRunning   Status = "running"
	StatusDone      Status = "done"
	StatusFailed    Status = "failed" // it ran, ended, and failed
	StatusCancelled Status = "cancelled"
	StatusNotRun    Status = "not_run"
	StatusUnknown   Status = "unknown" // it may have run
)

// Root is the predecessor of a node that follows nobody.
const Root = "ROOT"

const (
	maxID    = 128   // bytes
	maxError = 8_000 // bytes
)

// IsFinal reports whether a status never changes again.
func (s Status) IsFinal() bool {
	switch s {
	case StatusDone, StatusFailed, StatusCancelled, StatusNotRun:
		return true
	}
	return false
}

// to says whether one status may become another.
func (s Status) to(next Status) error {
	switch {
	case s.IsFinal():
		return fmt.Errorf("%w: it is %s", ErrFinal, s)
	case s == StatusUnknown && next == StatusCancelled, s == StatusUnknown && next == StatusUnknown:
		return fmt.Errorf("status %q: what is unknown becomes %s, %s or %s", next, StatusDone, StatusFailed, StatusNotRun)
	case next.IsFinal() || next == StatusUnknown:
		return nil
	}
	return fmt.Errorf("status %.64q is none to end with", next)
}

// stamp sets what a new node has by itself.
func (n *Node) stamp(seq int64) {
	n.Seq, n.Ended, n.Unknown, n.CutInput, n.CutOutput = seq, 0, 0, 0, 0
	switch {
	case n.Kind == KindUser:
		n.Status = StatusDone
	case n.Status == "":
		n.Status = StatusRunning
	}
	if n.Status == StatusUnknown {
		n.Unknown = seq + 1
	} else if n.Status.IsFinal() {
		n.Ended = seq + 1
	}
	if n.Caller == "" && n.Predecessor == "" {
		n.Predecessor = Root
	}
}

// tidy checks a node by itself and cuts its texts. What it leaves survives JSON unchanged.
func (n *Node) tidy(text int) error {
	for _, id := range append([]string{n.ID, n.Caller, n.Predecessor, n.Picked}, n.Covers...) {
		if len(id) > maxID || !utf8.ValidString(id) {
			return fmt.Errorf("the id %.64q is no text of at most %d bytes", id, maxID)
		}
	}
	switch {
	case n.ID == "" || n.ID == Root:
		return errors.New("no node can have this id")
	case n.Time.Year() < 0 || n.Time.Year() > 9999:
		return errors.New("the time is out of range")
	case n.Seq < 0:
		return fmt.Errorf("seq %d is less than 0", n.Seq)
	case (n.Caller == "") == (n.Predecessor == ""):
		return errors.New("a node has a caller or, at the top level, a predecessor")
	}
	if err := n.checkKind(); err != nil {
		return err
	}
	if err := n.checkStatus(); err != nil {
		return err
	}
	n.Name = fit(n.Name, 1_000, &n.CutInput)
	n.Model = fit(n.Model, 1_000, &n.CutInput)
	n.Doc = fit(n.Doc, text, &n.CutInput)
	n.Input = fit(n.Input, text, &n.CutInput)
	n.Output = fit(n.Output, text, &n.CutOutput)
	n.Error = fit(n.Error, maxError, &n.CutOutput)
	n.Time = n.Time.Round(0).UTC()
	if len(n.Args) > text {
		n.CutInput += len(n.Args)
		n.Args = nil
	}
	if len(n.Covers) == 0 {
		n.Covers = nil
	}
	var err error
	n.Args, err = plainJSON(n.Args)
	return err
}

func (n *Node) checkKind() error {
	isCode := n.Kind == KindCode
	switch n.Kind {
	case KindUser, KindLLM, KindCode:
	default:
		return fmt.Errorf("kind %.64q is none of user, llm, code", n.Kind)
	}
	switch {
	case n.Kind == KindUser && n.Caller != "":
		return errors.New("nobody calls a user")
	case isCode && n.Name == "":
		return errors.New("a call has a name")
	case !isCode && (n.Name != "" || n.Doc != "" || n.Args != nil || n.Tool || n.Expose != "" || n.Range != nil || n.Picked != ""):
		return errors.New("name, doc, args, tool, expose, render_range and picked are of calls alone")
	case n.Covers != nil && (n.Kind != KindLLM || n.Caller != ""):
		return errors.New("a summary is a model call at the top level")
	case n.Expose == "" && isCode:
		return nil
	case isCode:
		_, err := ParseExpose(string(n.Expose))
		return err
	}
	return nil
}

func (n *Node) checkStatus() error {
	known := n.Status == StatusRunning || n.Status == StatusUnknown || n.Status.IsFinal()
	switch {
	case !known:
		return fmt.Errorf("status %.64q is none", n.Status)
	case n.Status.IsFinal() != (n.Ended > 0), n.Status == StatusUnknown && n.Unknown <= 0, n.Status == StatusRunning && n.Unknown != 0:
		return fmt.Errorf("status %s does not fit ended_seq %d and unknown_seq %d", n.Status, n.Ended, n.Unknown)
	case n.Ended != 0 && n.Ended <= n.Seq, n.Unknown != 0 && n.Unknown <= n.Seq, n.Ended != 0 && n.Unknown > n.Ended:
		return errors.New("it ends before it begins")
	case n.Status == StatusRunning && (n.Output != "" || n.Error != ""):
		return errors.New("what is running has no output yet")
	case n.Status == StatusUnknown && n.Output != "":
		return errors.New("what is unknown has no output")
	}
	return nil
}

// isHidden reports whether callers see nothing of a call.
func (n *Node) isHidden() bool { return n.Expose == ExposeHidden }

// blank removes what a hidden call was about. Its name stays: a call has one.
func (n *Node) blank() {
	n.Doc, n.Args, n.Input, n.Output, n.Error, n.CutInput, n.CutOutput = "", nil, "", "", "", 0, 0
}

// at is a copy of a node as it looked when the node of a seq was added. Why something was unknown is not told: how it
// ended takes its place, and then the copy would be another one.
func (n *Node) at(seq int64) Node {
	c := n.copied()
	if c.Ended != 0 && c.Ended <= seq {
		return c
	}
	c.Status, c.Ended = StatusRunning, 0
	c.Output, c.Error, c.TokensIn, c.TokensOut, c.Took, c.CutOutput = "", "", 0, 0, 0, 0
	if c.Unknown != 0 && c.Unknown <= seq {
		c.Status = StatusUnknown
	} else {
		c.Unknown = 0
	}
	return c
}

func (n *Node) copied() Node {
	c := *n
	c.Args = slices.Clone(n.Args)
	c.Covers = slices.Clone(n.Covers)
	c.Range = n.Range.Clone()
	return c
}

// size is about what a node takes.
func (n *Node) size() int {
	s := 500 + 2*len(n.ID) + len(n.Caller) + len(n.Predecessor) + len(n.Picked) + len(n.Name) + len(n.Doc) + len(n.Args) + len(n.Input) +
		len(n.Model) + len(n.Output) + len(n.Error)
	for _, id := range n.Covers {
		s += 16 + len(id)
	}
	return s
}

// fit makes valid text of at most room bytes and counts what is left out.
func fit(text string, room int, cut *int) string {
	if room = max(room, 0); len(text) > room {
		keep := text[:room]
		for len(keep) > 0 && !utf8.RuneStart(text[len(keep)]) {
			keep = keep[:len(keep)-1]
		}
		*cut += len(text) - len(keep)
		text = keep
	}
	return strings.ToValidUTF8(text, "")
}

// plainJSON is JSON in the one form that encoding it again leaves alone: compact, valid text, and without the escapes that
// are there for HTML alone.
func plainJSON(raw []byte) (json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, fmt.Errorf("the arguments are no JSON: %w", err)
	}
	return unescapeHTML(b.Bytes()), nil
}

var htmlEscapes = map[string]byte{"003c": '<', "003e": '>', "0026": '&'}

func unescapeHTML(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\u00`)) && !bytes.Contains(raw, []byte("\u2028")) && !bytes.Contains(raw, []byte("\u2029")) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		switch {
		case raw[i] == '\\' && raw[i+1] == 'u':
			if c, is := htmlEscapes[strings.ToLower(string(raw[i+2:i+6]))]; is {
				out = append(out, c)
			} else {
				out = append(out, raw[i:i+6]...)
			}
			i += 5
		case raw[i] == '\\':
			out = append(out, raw[i], raw[i+1])
			i++
		case bytes.HasPrefix(raw[i:], []byte("\u2028")), bytes.HasPrefix(raw[i:], []byte("\u2029")):
			out = fmt.Appendf(out, `\u20%02x`, 0x28+raw[i+2]-0xa8)
			i += 2
		default:
			out = append(out, raw[i])
		}
	}
	return out
}
