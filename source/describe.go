package source

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// describe says in one line what a command runs, in the words of the file:
//
//	run: refund-cli --order {order_id} [--reason {reason}] < {note}, in /srv, with TOKEN
//
// Variables are named only: a literal one may be a secret that somebody wrote into the file.
func describe(c *config.Command) string {
	var words []string
	for _, arg := range c.Argv {
		if arg.Group == nil {
			words = append(words, word(arg.Template))
			continue
		}
		group := make([]string, len(arg.Group))
		for i, t := range arg.Group {
			group[i] = word(t)
		}
		words = append(words, "["+strings.Join(group, " ")+"]")
	}
	line := "run: " + strings.Join(words, " ")
	if c.Stdin != nil {
		line += " < " + word(*c.Stdin)
	}
	if c.Cwd != "" {
		line += ", in " + quoted(c.Cwd)
	}
	for i, v := range c.Env {
		line += [2]string{", with ", " "}[min(i, 1)] + v.Name
	}
	return line
}

// pin is what decides what runs, as the file says it, and describe leaves out. References stand as they are written: a secret
// that is renewed changes no method.
func pin(c *config.Command) string {
	env := make([]string, len(c.Env))
	for i, v := range c.Env {
		env[i] = v.Name + "=" + v.Value
	}
	return fmt.Sprintf("%q %v %v %v", env, c.OKExit, c.JSON, c.AllowDash)
}

// found is where on this machine the program and its folder are.
func (c *command) found() string { return fmt.Sprintf("%q %q", c.path, c.dir) }

// word is a template as it stands in the file, quoted where it would not read as one word.
func word(t registry.Template) string { return quoted(t.String()) }

func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " \"'[]<,;") || strconv.Quote(s) != `"`+s+`"` {
		return strconv.Quote(s)
	}
	return s
}
