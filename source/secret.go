package source

import (
	"os"

	"github.com/mcp-decide/mcp-decide/config"
)

// Secret is the value that a reference of the file stands for on this machine: env:NAME, or file:PATH with the file's
// folder as the start of a relative path. Without a value, which is then "", problem says why not and what to do. With
// one, problem is a warning, or has no message. It names the reference and never holds the value; the place is left to
// whoever knows where in the file the reference stands.
func Secret(f *config.File, ref string) (value string, problem config.Problem) {
	dir, err := folder(f.Path)
	if err != nil {
		return "", config.Problem{File: f.Path, Message: err.Error()}
	}
	r := host{dir: dir, lookup: os.LookupEnv}.resolve(ref)
	problem = config.Problem{File: f.Path, Message: r.open, Fix: r.fix}
	if r.missing != "" {
		problem.Message = r.missing
		return "", problem
	}
	return r.text, problem
}
