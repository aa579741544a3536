package registry

// Effect is what running a method does to the world. The zero value counts as
// Destructive: a method that does not say is held to be the worst.
type Effect string

// The three effects, from mild to severe.
const (
	Read        Effect = "read"        // changes nothing; may run twice, late or be answered from a cache
	Write       Effect = "write"       // changes something that can be mended
	Destructive Effect = "destructive" // changes something that can't
)

// Covers reports whether something that may do e may also do other.
func (e Effect) Covers(other Effect) bool { return e.rank() >= other.rank() }

// Or returns e, or Destructive when e says nothing.
func (e Effect) Or() Effect {
	if e == "" {
		return Destructive
	}
	return e
}

// milder is the milder of two effects.
func (e Effect) milder(other Effect) Effect {
	if e.Covers(other) {
		return other
	}
	return e
}

// known reports whether e is one of the three.
func (e Effect) known() bool { return e == Read || e == Write || e == Destructive }

func (e Effect) rank() int {
	switch e {
	case Read:
		return 0
	case Write:
		return 1
	}
	return 2
}
