package menu

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// Explain reads a reply as Parse does, with the same outcome, and says what it made of each part.
//
// The steps stand in the order of the reply and don't overlap; prose that says nothing about a pick has none. Their places are bytes of
// the reply as it was given, also where the reader went over a text that was made of it. The last step is the last word: Chosen, with the
// place of the pick, or Nothing, with the place of the pick that was refused or else the whole reply. There are at most 1,000 steps; when there would be more, the last but
// one is More and says how many.
func Explain(reply string, offered []registry.Option, how Reading) (Pick, []Step, error) {
	e := &explanation{}
	pick, err := parse(reply, &reader{offered: offered, how: how, steps: e})
	return pick, e.finish(reply, &pick, err), err
}

const (
	maxSteps = 1000
	maxSaid  = 60 // characters of a name in a step
)

// explanation collects the steps of one reading. All of its methods may be called on nil, which keeps nothing.
type explanation struct {
	steps   []Step
	more    int    // steps that are not kept
	cut     int    // where the first of them stands
	made    making // what the places are of
	picks   int    // candidates that are alike since the last correction
	mended  bool   // ... and a correction stands before them
	settled found  // the reading that was taken or refused
	isCopy  bool   // it is a line of the menu
	known   bool   // settled is set
}

func (e *explanation) note(what What, from, to int, why string) {
	switch {
	case e == nil || from >= to:
	case len(e.steps) < maxSteps-2:
		e.steps = append(e.steps, Step{from, to, what, why})
	default:
		if e.more == 0 {
			e.cut = from
		}
		e.more++
	}
}

// forget makes one step of all that was noted: it was thinking.
func (e *explanation) forget(to int) {
	if e == nil {
		return
	}
	*e = explanation{made: e.made, steps: e.steps[:0]}
	e.note(Thinking, 0, to, "all before a closing mark that stands alone")
}

// found notes a reading: a pick that stands, or one that is only mentioned.
func (e *explanation) found(text string, rd *reading, at found, to relation) {
	if e == nil {
		return
	}
	if at.standing != stands {
		e.note(Mention, at.from, at.end, "says "+rd.says()+", and "+whyNot(text, at))
		return
	}
	switch to {
	case first, differs, tangles:
		e.picks, e.mended = 1, false
	case replaces:
		e.picks, e.mended = 1, true
	case repeats:
		e.picks++
	}
	what := Candidate
	if !rd.isSound() && rd.call.text == "" { // no object could be read
		what = Damage
	}
	e.noteAlso(what, at.from, at.end, "says "+rd.says()+to.words()+took(at.took, rd.took))
}

// noteAlso is note for one of several things that stand at the same place, as in a list that was mended.
func (e *explanation) noteAlso(what What, from, to int, why string) {
	if n := len(e.steps); n > 0 && e.steps[n-1].From == from && e.steps[n-1].To == to && from < to {
		if last := &e.steps[n-1]; len(last.Why) < maxQuoted {
			last.Why += "; " + why
		}
		return
	}
	e.note(what, from, to, why)
}

// copied notes a line of the menu.
func (e *explanation) copied(rd *reading, at span) {
	if e != nil {
		e.note(Copy, at.from, at.to, "the menu's own line of "+quotedName(rd.name)+", which counts only if nothing else does")
	}
}

// damaged notes an object that can't be read and says no call.
func (e *explanation) damaged(at span, k *skimmer) {
	if e != nil {
		d := k.damaged()
		e.note(Damage, at.from, at.to, d.String())
	}
}

// remarks notes the sentences of prose that say something about the picks around them.
func (e *explanation) remarks(text string, spoken []span) {
	if e == nil {
		return
	}
	for at, quoted := range sentencesOf(text, spoken) {
		var one remarks
		if one.sentence(at.of(text), quoted); one.says() {
			sentence := at.of(text)
			from := at.to - len(trimUnseenLeft(sentence))
			e.note(Remark, from, from+len(trimUnseen(sentence)), one.words())
		}
	}
}

// settle notes which reading the outcome is of.
func (e *explanation) settle(at found) {
	if e != nil {
		e.settled, e.known = at, true
	}
}

// settleCopy is settle for a line of the menu.
func (e *explanation) settleCopy() {
	if e != nil {
		e.isCopy = true
	}
}

// finish puts the steps in order and adds the last word.
func (e *explanation) finish(reply string, pick *Pick, err error) []Step {
	last := Step{0, len(reply), Nothing, ""}
	if err != nil {
		last.Why = whyNothing(err)
	} else {
		last.What, last.Why = Chosen, e.whyChosen(pick)
	}
	steps := disjoint(e.steps)
	if e.more > 0 {
		steps = append(steps, Step{e.cut, e.made.length(reply), More, fmt.Sprintf("%d more steps", e.more)})
	}
	e.made.restore(reply, steps)
	if e.known && e.settled.end > e.settled.from {
		at := []Step{{From: e.settled.from, To: e.settled.end}}
		e.made.restore(reply, at)
		last.From, last.To = at[0].From, at[0].To
	}
	return append(steps, last)
}

// disjoint sorts steps by their place and leaves out what stands inside another.
func disjoint(steps []Step) []Step {
	slices.SortStableFunc(steps, func(a, b Step) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return b.To - a.To
	})
	kept := steps[:0]
	for _, s := range steps {
		if len(kept) > 0 && s.From < kept[len(kept)-1].To {
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// whyChosen words why a pick is the one.
func (e *explanation) whyChosen(p *Pick) string {
	why := quotedName(p.Name) + ", " + e.rank(p) + "; " + p.Strategy.words(p.Form)
	if p.Repaired() {
		return why + took(p.Liberties, nil)
	}
	return why
}

func (e *explanation) rank(p *Pick) string {
	switch {
	case p.Strategy == WholeObject:
		return "which is the whole reply"
	case e.isCopy:
		return "a line of the menu, and nothing else stands"
	case e.mended && e.picks > 1:
		return fmt.Sprintf("the last pick, said %d times behind a correction", e.picks)
	case e.mended:
		return "the last pick, behind a correction"
	case e.picks > 1:
		return fmt.Sprintf("said %d times", e.picks)
	}
	return "the only pick"
}

func (s Strategy) words(form string) string {
	switch s {
	case WholeObject:
		return "one object"
	case InFence:
		return "an object in a fence"
	case Format:
		return strings.TrimSuffix("a tool call in the form "+form, " in the form ")
	case InProse:
		return "an object that stands alone"
	case Repaired:
		return "an object with damage that has one reading"
	case KeyLines:
		return "lines of keys in a fence"
	case ByPhrase:
		return "a phrase of the configuration"
	}
	return string(s)
}

// whyNothing is the first problem, on one line.
func whyNothing(err error) string {
	var invalid *validate.Error
	if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
		return fold(err.Error(), maxQuoted)
	}
	p := invalid.Problems[0]
	why := string(invalid.Kind)
	switch {
	case invalid.Kind == validate.UnknownCall:
		why += ": there is no option " + p.Read
	case p.Read != "":
		why += ": " + p.Read
	case invalid.Kind == validate.NoAction:
		why += ": no object with a call key stands in it"
	}
	why += place(&p)
	if n := len(invalid.Problems) - 1; n > 0 {
		why += fmt.Sprintf(", and %d more", n)
	}
	return fold(why, 2*maxQuoted)
}

// says is what a reading says, and the first thing that is wrong with it.
func (rd *reading) says() string {
	said := "no option"
	if rd.name != "" {
		said = quotedName(rd.name)
	}
	if rd.isSound() {
		return said
	}
	p := rd.problems[0]
	said += ", with " + string(p.Kind)
	switch {
	case p.Kind == validate.UnknownCall:
		said += ": there is no such option"
	case rd.damage.why != "":
		said += ": " + rd.damage.String()
	case p.Read != "":
		said += ": " + p.Read
	}
	return said + place(&p)
}

// place is where a problem is, unless its kind says so.
func place(p *validate.Problem) string {
	if p.Path == "" || p.Path == "call" || p.Path == "args" {
		return ""
	}
	return " at " + p.Path
}

func quotedName(name string) string { return string(appendString(nil, fold(name, maxSaid))) }

// took words the liberties that were taken; "" when there were none.
func took(around, inside liberties) string {
	words := ""
	for i, one := range slices.Concat(around, inside) {
		if i == 0 {
			words = "; with "
		} else {
			words += ", "
		}
		words += string(one)
	}
	return words
}

// words are what a remark does.
func (r remarks) words() string {
	switch {
	case r.invented:
		return "a turn of somebody else"
	case r.corrected && r.withdrawn:
		return "a correction: takes back what stands before it, and what follows counts"
	case r.corrected:
		return "a last word: what follows counts"
	}
	return "takes back what stands before it"
}

// relation is how a pick stands to the one before it.
type relation int

const (
	first    relation = iota // there is none
	repeats                  // it is the same
	differs                  // it is another, and no correction stands between
	replaces                 // a correction stands between
	tangles                  // a turn of somebody else stands between or before
)

func (r relation) words() string {
	switch r {
	case repeats:
		return ", as the one before it"
	case differs:
		return ", which is not what the one before it says"
	case replaces:
		return ", in place of what stands before it"
	case tangles:
		return ", behind a turn of somebody else"
	}
	return ""
}

// whyNot says why an object does not stand for itself.
func whyNot(text string, at found) string {
	switch at.standing {
	case doubted:
		if word := doubtBefore(text, at.from); word != "" {
			return "the words before it say " + quotedName(word)
		}
		return "the words before it say that it is none"
	case others:
		return "the words before it are somebody else's"
	case enclosed:
		return "is inside brackets"
	case continued:
		return "the text behind it goes on with the sentence"
	case distant:
		return "stands far into its line"
	}
	return "is part of a sentence"
}

// doubtBefore is the word by which the last words before a place make a doubt.
func doubtBefore(text string, at int) string {
	before := trimUnseenRight(text[max(0, at-maxLabel):at])
	before = strings.TrimRightFunc(before, func(r rune) bool { return isMark(r) || strings.ContainsRune(":：`~", r) })
	return doubtIn(strings.TrimRight(before[strings.LastIndexByte(before, '\n')+1:], ",- "))
}

const noCall = "has no call key"
