package menu

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Reading says how a reply is read. The zero value is strict, and right for a reply that may or may not be complete.
type Reading struct {
	Lenient bool     // may also take the liberties that are marked as lenient
	Cut     bool     // the caller knows that the reply was cut by a token limit
	Shown   []Pick   // the worked examples that the one who replies has read: a copy of one is no pick
	Phrases []Phrase // sentences that stand for an option, tried when nothing else is found
}

// Phrase is a text that stands for an option without arguments.
type Phrase struct{ Text, Option string }

// Pick is what a reply chose. Its arguments are as read: not checked, no defaults filled in.
type Pick struct {
	Name      string
	Args      json.RawMessage // a JSON object
	Strategy  Strategy        // how it was found
	Form      string          // the name of the call format, for Format
	Liberties []Liberty       // what was read differently from how it was written, each once
}

// Repaired reports whether a liberty was taken.
func (p *Pick) Repaired() bool { return len(p.Liberties) > 0 }

// IsExact reports whether the pick may stand for what changes something: it was written as it was read, in a form that
// shows where it begins and ends.
func (p *Pick) IsExact() bool {
	return !p.Repaired() && p.Strategy != Repaired && p.Strategy != KeyLines && p.Strategy != ByPhrase
}

// Strategy is how a pick was found, from the surest to the least sure.
type Strategy string

// The strategies. Each of them stands before the same gate: one option that is offered, arguments that are an object, no other
// pick beside it.
const (
	WholeObject Strategy = "object"      // the whole reply is the object
	InFence     Strategy = "fence"       // a fence holds it
	Format      Strategy = "call format" // a known format of tool calls; Form says which
	InProse     Strategy = "prose"       // an object that stands alone among prose
	Repaired    Strategy = "repaired"    // an object with damage that has one reading
	KeyLines    Strategy = "key lines"   // "call: x" in a closed fence
	ByPhrase    Strategy = "phrase"      // a sentence of Reading.Phrases
)

const maxReply = 16 << 20 // bytes

// Parse reads the one pick out of a reply. The error is a *validate.Error of kind no_action,
// unknown_call, ambiguous, bad_args or (for an argument given as a placeholder) missing_required.
//
// It goes over the reply from left to right and never back, in time and memory that grow with its length alone. What is mentioned,
// quoted, thought, cut or said in several ways is never guessed; damage is repaired only where there is one way to read it.
func Parse(reply string, offered []registry.Option, how Reading) (Pick, error) {
	return parse(reply, &reader{offered: offered, how: how})
}

func parse(reply string, read *reader) (Pick, error) {
	if len(reply) > maxReply {
		return Pick{}, read.noAction("a reply over 16 MiB")
	}
	if !utf8.ValidString(reply) {
		reply = strings.ToValidUTF8(reply, "\ufffd")
	}
	if pick, done, err := read.alone(trimUnseen(reply)); done {
		return pick, err
	}
	reply, took := undressed(reply)
	read.took.add(took...)
	read.steps.undressed(took)
	return read.scan(reply)
}

// undressed undoes what was done to a reply as a whole: it came as one JSON text, or as the inside of one, or without its first brace.
func undressed(reply string) (string, liberties) {
	bare := trimUnseen(reply)
	switch {
	case strings.HasPrefix(bare, `"`):
		k := skimmer{text: bare}
		if k.value() && k.pos == len(bare) {
			return unquoted(bare[1 : len(bare)-1]), liberties{Escaped}
		}
	case strings.HasPrefix(bare, `{\"`):
		k := skimmer{text: `"` + bare + `"`}
		if k.value() && k.pos == len(k.text) {
			return unquoted(bare), liberties{Escaped}
		}
	}
	if startsCallKey(bare) {
		return "{" + bare, liberties{MissingOpen}
	}
	return reply, nil
}

// startsCallKey reports whether text starts with a call key in quotes, and a colon.
func startsCallKey(text string) bool {
	q, ok := quoteAt(text)
	if !ok {
		return false
	}
	for _, key := range callKeys {
		rest, ok := strings.CutPrefix(text[q.size:], key)
		if end, n := utf8.DecodeRuneInString(rest); ok && strings.ContainsRune(q.closers, end) && startsColon(rest[n:]) {
			return true
		}
	}
	return false
}

// alone reads a reply that is one object and nothing else: most replies.
func (r *reader) alone(reply string) (_ Pick, done bool, _ error) {
	if !strings.HasPrefix(reply, "{") {
		return Pick{}, false, nil
	}
	k := skimmer{text: reply}
	if !k.value() || k.pos != len(reply) {
		return Pick{}, false, nil
	}
	r.steps.madeBy(trimmedText)
	rd, ok := r.read(reply, span{0, k.pos}, k.members)
	if !ok {
		r.steps.note(Data, 0, k.pos, noCall)
		return Pick{}, true, r.noAction("an object without a call")
	}
	at := found{end: k.pos, strategy: WholeObject}
	r.steps.found(reply, rd, at, first)
	if r.how.Cut && rd.isSound() {
		return Pick{}, true, r.ambiguous(cutBehind)
	}
	pick, err := r.taken(rd, at)
	return pick, true, err
}

// scan reads a reply that may hold anything.
func (r *reader) scan(reply string) (Pick, error) {
	s := scanner{text: reply, read: r, choice: &chooser{text: reply, read: r, heard: r.listen()}}
	s.run()
	if s.fence.open {
		s.choice.heard.hold()
	}
	return s.choice.choose(r)
}
