package menu

// Step is a stretch of a reply and what the reader made of it.
type Step struct {
	From, To int // bytes of the reply, the end excluded
	What     What
	Why      string // for a person, one line; may be empty
}

// What is the kind of a Step.
type What string

// What a stretch of a reply can be.
const (
	Thinking  What = "thinking"    // skipped
	Quotation What = "quote"       // a quoted line, or a fence that holds something else: skipped
	Mention   What = "mention"     // a pick that is only talked about
	Copy      What = "menu line"   // a line of the menu itself
	Data      What = "data"        // an object that is no pick
	Damage    What = "damage"      // an object that can't be read
	Candidate What = "pick"        // stands as a pick
	Remark    What = "remark"      // prose that corrects, takes back, or plays somebody else
	TurnEnd   What = "end of turn" // nothing behind it is read
	Tag       What = "tag"         // a tag, fence mark or control token
)

// What the last steps of an explanation are.
const (
	More    What = "more"    // steps that are only counted
	Chosen  What = "chosen"  // the last word: the pick, and why it is the one
	Nothing What = "nothing" // the last word: why there is no pick
)

// note keeps a step for who asked for an explanation.
func (s *scanner) note(what What, from, to int, why string) {
	s.read.steps.note(what, from, to, why)
}
