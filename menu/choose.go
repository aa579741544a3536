package menu

import "cmp"

// A chooser takes what the scanner finds, in order, and keeps the one pick. Equal picks are one;
// of different ones the last counts only behind a correction; a pick that is invalid is never
// replaced by an earlier one.
type chooser struct {
	text    string
	read    *reader
	start   int      // of what is being looked at
	pick    *reading // the last that stands
	at      found
	earlier *reading // one that differs from it, without a correction between
	inside  *reading // one that an element encloses, see enclosed
	spoken  []span   // prose since pick
	fenced  []span   // ... in a fence that may hold a pick: words there are quoted
	marked  bool     // an answer tag since pick

	later    bool     // a mention behind pick
	talked   *reading // one that differs from it
	mentions bool
	names    names // of the mentions
	quotes   bool
	copies   *reading // the menu's own line
	copyAt   found    // of copies
	several  bool     // copies of different lines, or of a stretch of the menu
	odd      damage   // why some object was not JSON

	heard *hearing // nil unless phrases are listened for

	finds    int  // picks and mentions, those in thinking too
	ended    bool // an end of the turn behind what was found
	unclosed bool // thinking that never ends
	vendor   bool // a call in a form that is not read
	invented bool // a turn of somebody else was made up
	tangled  bool // ... between two picks
}

// found says how and where a reading was found.
type found struct {
	standing standing
	from     int // 0 = the start of what is being looked at
	end      int
	strategy Strategy
	form     string    // of a Format
	took     liberties // around the object: what was taken inside it is the reading's
}

// any reports whether anything like a pick was seen.
func (c *chooser) any() bool { return c.pick != nil || c.mentions || c.copies != nil }

// speak notes prose. Before the first pick it says nothing about a pick.
func (c *chooser) speak(from, to int, fenced bool) {
	if from == to {
		return
	}
	c.heard.add(from, to)
	switch {
	case c.pick == nil:
	case fenced:
		c.fenced = joined(c.fenced, from, to)
	default:
		c.spoken = joined(c.spoken, from, to)
	}
}

// joined adds a stretch to others before it.
func joined(spans []span, from, to int) []span {
	if n := len(spans); n > 0 && spans[n-1].to == from {
		spans[n-1].to = to
		return spans
	}
	return append(spans, span{from, to})
}

// remarks are what was said since the pick. Words in a fence replace nothing, but may well take it back.
func (c *chooser) remarks() remarks {
	c.read.steps.remarks(c.text, c.spoken)
	r, quoted := remarksIn(c.text, c.spoken), remarksIn(c.text, c.fenced)
	r.withdrawn = r.withdrawn || quoted.withdrawn
	r.invented = r.invented || quoted.invented
	return r
}

// maxFinds bounds the picks and mentions of one reply. Who writes more has not picked one.
const maxFinds = 1000

func (c *chooser) found(rd *reading, at found) {
	at.from = cmp.Or(at.from, c.start)
	c.finds++
	if at.standing != stands {
		c.read.steps.found(c.text, rd, at, first)
		c.mentions, c.later = true, true
		c.names.add(rd)
		if c.pick != nil && !same(c.pick, rd) {
			c.talked = rd
		}
		return
	}
	c.read.steps.found(c.text, rd, at, c.stand(rd))
	c.pick, c.at = rd, at
	c.spoken, c.fenced, c.marked, c.later, c.talked = c.spoken[:0], c.fenced[:0], false, false, nil
}

// stand compares a pick with the one before it.
func (c *chooser) stand(rd *reading) relation {
	if c.pick == nil {
		c.tangled = c.invented
		return first
	}
	between := c.remarks()
	switch {
	case between.invented || c.invented:
		c.tangled = true
		return tangles
	case (between.corrected || c.marked) && !between.kept:
		c.earlier = nil
		return replaces
	case !same(c.pick, rd):
		c.earlier = c.pick
		return differs
	}
	return repeats
}

// copied notes a line of the menu itself. It counts when nothing else does, and not when it was
// copied as it stands there, indent included: that is the start of a menu, not an answer.
func (c *chooser) copied(rd *reading, at span, indented bool) {
	c.read.steps.copied(rd, at)
	c.finds++
	if indented || c.copies != nil && !same(c.copies, rd) {
		c.several = true
	}
	c.copies, c.copyAt = rd, found{from: at.from, end: at.to, strategy: InProse}
}

// unread notes an object that is no JSON and no pick.
func (c *chooser) unread(k *skimmer) { c.odd = k.damaged() }

// forget drops all that was found: it was thinking.
func (c *chooser) forget() {
	*c = chooser{text: c.text, read: c.read, spoken: c.spoken[:0], fenced: c.fenced[:0], heard: c.heard.forgotten(), finds: c.finds}
}

// choose takes the pick, or says why there is none.
func (c *chooser) choose(r *reader) (Pick, error) {
	behind := c.remarks()
	switch {
	case c.finds > maxFinds:
		return Pick{}, r.ambiguous("more than 1,000 picks")
	case c.unclosed:
		return Pick{}, r.noAction("thinking that never ends")
	case c.pick == nil:
		return c.lesser(r)
	case c.tangled, c.later && behind.invented:
		return Pick{}, r.ambiguous("a turn of somebody else between or before the picks")
	case c.earlier != nil:
		return Pick{}, r.ambiguous(bothNames(c.earlier, c.pick))
	case c.inside != nil && !same(c.inside, c.pick):
		return Pick{}, r.ambiguous(bothNames(c.inside, c.pick))
	case c.talked != nil:
		return Pick{}, r.ambiguous("a pick" + c.pick.called(" of ") + ", and talk of another" + c.talked.called(", ") + ", behind it")
	case c.vendor:
		return Pick{}, r.ambiguous("a pick, and a call in another form behind it")
	case c.marked, behind.corrected && !behind.kept:
		return Pick{}, r.ambiguous("a last word behind a pick, and no pick in it")
	case behind.withdrawn:
		return Pick{}, r.ambiguous("a pick that the text behind it takes back")
	case r.how.Cut && !c.ended && c.pick.isSound():
		return Pick{}, r.ambiguous(cutBehind)
	}
	return r.taken(c.pick, c.at)
}

// cutBehind is what a pick is worth that stands in a reply which was cut: a correction may have been to come, and nothing in the
// text tells. Only an end of the turn behind it does.
const cutBehind = "a reply that was cut behind a pick, so the last word is missing"

// lesser answers when nothing in the reply stands as a pick.
func (c *chooser) lesser(r *reader) (Pick, error) {
	switch {
	case c.vendor:
		return Pick{}, r.noAction("a tool call in a form that is not read here")
	case c.mentions || c.quotes || c.several:
		return Pick{}, r.ambiguous("picks that are only mentioned, quoted or copied" + c.names.String())
	case c.copies != nil && r.how.Cut && !c.ended:
		return Pick{}, r.ambiguous(cutBehind)
	case c.copies != nil:
		r.steps.settleCopy()
		return r.taken(c.copies, c.copyAt)
	case c.odd.why != "":
		return Pick{}, r.noAction("an object, " + c.odd.String())
	}
	if pick, ok, err := c.byPhrase(r); ok {
		return pick, err
	}
	return Pick{}, r.noAction("")
}
