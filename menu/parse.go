package menu

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Reading says how a reply is read.
type Reading struct {
	Lenient bool // may fold a few harmless differences; this version folds none, and reads as strictly as without
	Cut     bool // the caller knows that the reply was cut by a token limit
}

// Pick is what a reply chose. Its arguments are as read: not checked, no defaults filled in.
type Pick struct {
	Name     string
	Args     json.RawMessage // a JSON object
	Repaired bool            // a liberty was taken
	Strategy string          // how it was found: object, fence, prose
}

const maxReply = 16 << 20 // bytes

// Parse reads the one pick out of a reply. The error is a *validate.Error of kind no_action,
// unknown_call, ambiguous, bad_args or (for an argument given as a placeholder) missing_required.
//
// It goes over the reply once, in time and memory that grow with its length alone. A pick is an
// object of strict JSON that stands alone: the whole reply, in a fence, or on a line of its own.
// What is damaged, mentioned, quoted, thought, cut or said in several ways is never guessed.
func Parse(reply string, offered []registry.Option, r Reading) (Pick, error) {
	read := &reader{offered: offered}
	if len(reply) > maxReply {
		return Pick{}, read.noAction("a reply over 16 MiB")
	}
	if !utf8.ValidString(reply) {
		reply = strings.ToValidUTF8(reply, "\ufffd")
	}
	if pick, done, err := read.alone(trimUnseen(reply)); done {
		return pick, err
	}
	if inside, ok := encodedReply(reply); ok {
		pick, err := read.scan(inside, r)
		pick.Repaired = err == nil
		return pick, err
	}
	return read.scan(reply, r)
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
	rd, ok := r.read(reply, span{0, k.pos}, k.members)
	if !ok {
		return Pick{}, true, r.noAction("an object without a call")
	}
	pick, err := r.taken(rd)
	pick.Strategy = "object"
	return pick, true, err
}

// scan reads a reply that may hold anything.
func (r *reader) scan(reply string, how Reading) (Pick, error) {
	s := scanner{text: reply, read: r, choice: &chooser{text: reply}}
	s.run()
	return s.choice.choose(r, how.Cut, s.fence.open)
}

// encodedReply undoes one level of encoding: the whole reply as one JSON text.
func encodedReply(reply string) (string, bool) {
	reply = trimUnseen(reply)
	k := skimmer{text: reply}
	if !strings.HasPrefix(reply, `"`) || !k.value() || k.pos != len(reply) {
		return "", false
	}
	return unquoted(reply[1 : len(reply)-1]), true
}
