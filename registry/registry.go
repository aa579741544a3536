package registry

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Registry holds methods. It is safe for concurrent use; the zero value is empty and ready.
type Registry struct {
	now atomic.Pointer[Snapshot] // nil while methods are newer than the last snapshot

	mu      sync.Mutex // guards what follows
	methods []*Method  // in order; appended to, never changed in place
	names   Names
}

// New makes an empty registry.
func New() *Registry { return &Registry{} }

// Add registers a method. The error is a *MethodError with all that is wrong with it.
func (r *Registry) Add(m Method) error {
	ready, err := register(m)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.names.Add(ready.Name); err != nil {
		return &MethodError{Name: ready.Name, Flaws: []Flaw{{Message: err.Error()}}}
	}
	r.methods = append(r.methods, ready)
	r.now.Store(nil)
	return nil
}

// Replace swaps all methods at once, for a reload; on an error nothing changes. The error joins the
// *MethodError of every method that is refused.
func (r *Registry) Replace(methods []Method) error {
	var (
		ready []*Method
		names Names
		errs  []error
	)
	for _, m := range methods {
		one, err := register(m)
		if nameErr := names.Add(m.Name); nameErr != nil {
			err = withFlaw(err, m.Name, nameErr)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ready = append(ready, one)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.methods, r.names = ready, names
	r.now.Store(nil)
	return nil
}

// Take makes r hold what other holds, in one step that does not wait for anything: other is where a reload was tried first. It is not to
// be used any more.
func (r *Registry) Take(other *Registry) {
	snapshot := other.Snapshot()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.methods, r.names = other.methods, other.names
	r.now.Store(snapshot)
}

// register is Prepare, and asks for a summary of every kind: a registered method can become a tool.
func register(m Method) (*Method, error) {
	ready, err := Prepare(m)
	if strings.TrimSpace(m.Summary) == "" && (m.Kind == Value || m.Kind == Form) {
		err = withFlaw(err, m.Name, errNoSummary)
	}
	if err != nil {
		return nil, err
	}
	return ready, nil
}

func withFlaw(err error, name string, flaw error) error {
	var e *MethodError
	if !errors.As(err, &e) {
		e = &MethodError{Name: cutText(name, maxName)}
	}
	e.Flaws = append(e.Flaws, Flaw{Message: flaw.Error()})
	return e
}

// Snapshot is the registry at one moment. It never changes.
func (r *Registry) Snapshot() *Snapshot {
	if s := r.now.Load(); s != nil {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.now.Load(); s != nil {
		return s
	}
	s := &Snapshot{methods: slices.Clip(r.methods), byName: make(map[string]*Method, len(r.methods))}
	for _, m := range s.methods {
		s.byName[m.Name] = m
	}
	r.now.Store(s)
	return s
}

// Snapshot is what one request sees of a registry.
type Snapshot struct {
	methods []*Method
	byName  map[string]*Method
}

// Methods are all methods in the order of registration.
func (s *Snapshot) Methods() []*Method { return slices.Clone(s.methods) }

// Find returns the method of that exact name.
func (s *Snapshot) Find(name string) (*Method, bool) {
	m, ok := s.byName[name]
	return m, ok
}

// Available are the methods that the caller may see and run now.
func (s *Snapshot) Available(Caller) []*Method {
	available := make([]*Method, 0, len(s.methods))
	for _, m := range s.methods {
		if m.Off == "" {
			available = append(available, m)
		}
	}
	return available
}
