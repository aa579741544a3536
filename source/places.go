package source

// places remembers what one Build has looked up: many methods run the same few programs in the same few folders.
type places struct {
	programs, folders map[string]place
	variables         []string // what every program inherits; nil = not looked up
}

// place is where something is, or why it can't be used.
type place struct{ path, trouble, fix string }

func newPlaces() *places { return &places{programs: map[string]place{}, folders: map[string]place{}} }

// environment is the inherited variables. It has no room behind its end, so what is appended stands in a list of its own.
func (p *places) environment(lookup func(name string) (value string, ok bool)) []string {
	if p.variables != nil {
		return p.variables
	}
	p.variables = make([]string, 0, len(inherited)) // a nil one would be the server's whole environment
	for _, name := range inherited {
		if value, ok := lookup(name); ok {
			p.variables = append(p.variables, name+"="+value)
		}
	}
	p.variables = p.variables[:len(p.variables):len(p.variables)]
	return p.variables
}
