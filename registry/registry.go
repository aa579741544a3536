package registry

import "encoding/json"

// Registry holds methods. It is safe for concurrent use.
type Registry struct{}

// New makes an empty registry.
func New() *Registry { return &Registry{} }

// Add registers a method. The error names the method and says all that is wrong with it.
func (r *Registry) Add(m Method) error { panic("not written yet") }

// Replace swaps all methods at once, for a reload; on an error nothing changes.
func (r *Registry) Replace(methods []Method) error { panic("not written yet") }

// Snapshot is the registry at one moment. It never changes.
func (r *Registry) Snapshot() *Snapshot { panic("not written yet") }

// Snapshot is what one request sees of a registry.
type Snapshot struct{}

// Methods are all methods in the order of registration.
func (s *Snapshot) Methods() []*Method { panic("not written yet") }

// Find returns the method of that exact name.
func (s *Snapshot) Find(name string) (*Method, bool) { panic("not written yet") }

// Available are the methods that the caller may see and run now.
func (s *Snapshot) Available(c Caller) []*Method { panic("not written yet") }

// Prepare checks a method and makes it ready to run without registering it: value and schema
// options of a decision are such methods.
func Prepare(m Method) (*Method, error) { panic("not written yet") }

// InputSchema is the JSON Schema of the visible parameters, closed, in declared order.
func (m *Method) InputSchema() json.RawMessage { return m.schema }

// OutputSchema is the JSON Schema of the result, nil when none is declared.
func (m *Method) OutputSchema() json.RawMessage { return m.output }

// Digest changes when anything changes that decides what runs and who may; wording does not count.
func (m *Method) Digest() string { return m.digest }

// Visible are the parameters that a caller sees, in declared order.
func (m *Method) Visible() []Param { panic("not written yet") }
