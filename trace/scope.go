package trace

import "context"

// Scope is where something happens: for which request of a client, and in whose run. A record takes over what its scope says. The zero
// value is a call that stands alone.
type Scope struct {
	Parent      string // the record in whose run it happens; "" = in none
	Root        string // the record with which all of it began; "" = with itself
	Era         string // as in Record
	Request     string
	TraceParent string
}

type scopeKey struct{}

// WithScope is a context in which things happen in s.
func WithScope(ctx context.Context, s Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// ScopeOf is the scope of a context.
func ScopeOf(ctx context.Context) Scope {
	s, _ := ctx.Value(scopeKey{}).(Scope)
	return s
}

// In is r as it is in s.
func (r Record) In(s Scope) Record {
	r.Parent, r.Root, r.Era, r.Request, r.TraceParent = s.Parent, s.Root, s.Era, s.Request, s.TraceParent
	return r
}

// Scope is where what happens in the run of r happens. No client has asked for it.
func (r Record) Scope() Scope {
	root := r.Root
	if root == "" {
		root = r.ID
	}
	return Scope{Parent: r.ID, Root: root, Era: r.Era, TraceParent: r.TraceParent}
}
