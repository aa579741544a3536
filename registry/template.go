package registry

// Template is text with {name} where a parameter's value stands; {{ and }} are literal braces.
type Template struct {
	pieces []piece
}

type piece struct {
	text  string
	param string // set instead of text
}

// ParseTemplate reads a template. The error says at which character (from 1) it is wrong.
func ParseTemplate(s string) (Template, error) { panic("not written yet") }

// Params are the names that the template mentions, in order, each once.
func (t Template) Params() []string { panic("not written yet") }

// Expand puts values in: text as it is, other JSON values as their JSON text, numbers as written. ok is false
// when a value that the template mentions is absent.
func (t Template) Expand(args Args) (text string, ok bool) { panic("not written yet") }
