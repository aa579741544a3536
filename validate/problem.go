package validate

// Problem is one thing that is wrong with a value, and how to mend it.
type Problem struct {
	Kind     Kind
	Path     string // where, rooted at the arguments: args.steps[1].action
	Expected string // what stands in the schema, as a noun: "a number", `one of "a", "b"`
	Read     string // what was read, quoted and cut: `the text "39,90 EUR"`; empty when nothing was
	Example  string // a JSON literal that would pass; may be empty
	Nearest  string // the nearest allowed key or value, when one is near; may be empty
	Hint     string // how to write it, one sentence; may be empty
}

// Error holds every problem of one value. It means that nothing ran.
type Error struct {
	Kind     Kind      // the first of the problems' kinds in order of precedence
	Subject  string    // what did not fit: the option or method; may be empty
	Problems []Problem // at least one
}

// NewError makes an Error of problems and picks its kind by precedence.
func NewError(subject string, problems ...Problem) *Error { panic("not written yet") }

// Error is one line for logs and people.
func (e *Error) Error() string { panic("not written yet") }

// Fix is the text for a model: one line a problem, each starting with "- ", with
// its place, what was expected, what was read, the nearest allowed word and an
// example. At most 8,000 characters.
func (e *Error) Fix() string { panic("not written yet") }

// String is the line of one problem, without the leading dash:
//
//	args.amount: expected a number, got the text "39,90 EUR". Write a plain JSON number, like 12.5
func (p Problem) String() string { panic("not written yet") }
