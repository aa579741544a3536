// Package source gives a configured method its Run: a command, a fixed value, structured data.
package source

import (
	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Build makes runnable methods of a file's methods. A method that can't run here and now (a missing secret, a
// missing program) is made too, with Off saying why. Warnings are for stderr and validate.
func Build(f *config.File) (methods []registry.Method, warnings []config.Problem, err error) {
	panic("not written yet")
}
