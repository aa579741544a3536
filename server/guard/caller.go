package guard

import (
	"context"

	"github.com/mcp-decide/mcp-decide/registry"
)

type passedKey struct{}

// passed is what a handler can know of the guard before it.
type passed struct {
	caller  *registry.Caller // nil on an open route
	maxBody int64            // bytes; 0 = no guard limits the body
}

// CallerOf returns who asks. A guard sets it for every request to a route that needs a token; on an open route
// there is none. Don't change its roles.
func CallerOf(ctx context.Context) (registry.Caller, bool) {
	p := passedOf(ctx)
	if p.caller == nil {
		return registry.Caller{}, false
	}
	return *p.caller, true
}

// WithCaller returns a context that says who asks, for programs that know it in their own way, and for tests.
func WithCaller(ctx context.Context, c registry.Caller) context.Context {
	return context.WithValue(ctx, passedKey{}, &passed{caller: &c, maxBody: passedOf(ctx).maxBody})
}

func passedOf(ctx context.Context) passed {
	if p, ok := ctx.Value(passedKey{}).(*passed); ok {
		return *p
	}
	return passed{}
}
