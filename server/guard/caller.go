package guard

import (
	"context"

	"github.com/mcp-decide/mcp-decide/registry"
)

type callerKey struct{}

// CallerOf returns who asks. A guard sets it for every request that needed a token; on an open route there is none.
func CallerOf(ctx context.Context) (registry.Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(registry.Caller)
	return c, ok
}

// WithCaller returns a context that says who asks, for programs that know it in their own way, and for tests.
func WithCaller(ctx context.Context, c registry.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}
