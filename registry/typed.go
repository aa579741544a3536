package registry

import "context"

// Add registers a typed Go function. Its parameters come from In's struct tags (json, desc, enum,
// default, placeholder, from), unless m.Params is set.
func Add[In, Out any](r *Registry, m Method, fn func(context.Context, In) (Out, error)) error {
	panic("not written yet")
}
