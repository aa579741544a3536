package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// command is a method's program, ready to be started.
type command struct {
	argv    *argv
	path    string // absolute
	dir     string
	env     []string
	stdin   *registry.Template
	json    bool
	okExit  []int
	secrets []string // values of references, which must not stand in an error text
}

// command makes a runnable command, or turns the method off with everything that is missing.
func (b *builder) command(c *config.Command, params []registry.Param) (*command, error) {
	argv, err := newArgv(c, params)
	if err != nil {
		return nil, err
	}
	cmd := &command{argv: argv, stdin: c.Stdin, json: c.JSON, okExit: c.OKExit}
	if len(cmd.okExit) == 0 {
		cmd.okExit = []int{0}
	}
	path, trouble, fix := b.program(argv.name)
	if trouble != "" {
		b.disable(c.Argv[0].Pos, "run.argv[0]", trouble, fix)
	}
	cmd.path = path
	if cmd.dir, trouble = b.workdir(c.Cwd); trouble != "" {
		b.disable(c.Pos, "run.cwd", trouble, "Create the folder, or mend the path")
	}
	cmd.env = b.environment(c.Env)
	b.warnArgv(c, params)
	cmd.secrets = b.secrets
	return cmd, nil
}

// environment is the small set of inherited variables and then the listed ones. A program sees nothing
// else of the server's environment, and no argument can add to it.
func (b *builder) environment(listed []config.EnvVar) []string {
	env := b.places.environment(b.lookup)
	for _, v := range listed {
		key := "run.env." + v.Name
		if strings.HasPrefix(v.Name, "LD_") || strings.HasPrefix(v.Name, "DYLD_") {
			b.warn(v.Pos, key, v.Name+" loads foreign code into the program", "Leave it out unless the program can't start without it")
		}
		value := v.Value
		if isReference(value) {
			text, ok := b.secret(v.Pos, key, value)
			if !ok {
				continue
			}
			value = text
		}
		env = append(env, v.Name+"="+value)
	}
	return env
}

// warnArgv warns of secrets in argv, which every user of the machine can read while the program runs.
func (b *builder) warnArgv(c *config.Command, params []registry.Param) {
	secret := func(name string) bool {
		return slices.ContainsFunc(params, func(p registry.Param) bool {
			return p.Name == name && (p.Secret || isReference(p.From))
		})
	}
	for _, arg := range c.Argv {
		templates := arg.Group
		if templates == nil {
			templates = []registry.Template{arg.Template}
		}
		for _, t := range templates {
			if i := slices.IndexFunc(t.Params(), secret); i >= 0 {
				b.warn(arg.Pos, "run.argv", fmt.Sprintf("{%s} stands in the list of processes, which other users can read", t.Params()[i]),
					"Hand it over by env or stdin")
			}
		}
	}
}

// run is the method's Run.
func (c *command) run(ctx context.Context, args registry.Args) (any, error) {
	argv, err := c.argv.build(args)
	if err != nil {
		return nil, registry.NotStarted(err)
	}
	p := process{path: c.path, argv: argv, dir: c.dir, env: c.env}
	if c.stdin != nil {
		p.stdin, _ = c.stdin.Expand(args) // an absent value is an empty input
	}
	end, err := p.run(ctx)
	if err != nil {
		return nil, registry.NotStarted(fmt.Errorf("starting %s: %w", c.argv.name, cause(lookCause(err))))
	}
	return c.outcome(end)
}

// outcome says what an ended program came to. A program that did not end by itself may have done
// anything, so that is an uncertain outcome, not a failed one.
func (c *command) outcome(end ending) (any, error) {
	if end.stopped != nil {
		return nil, registry.Uncertain(c.failure(end.stopped, end))
	}
	if !slices.Contains(c.okExit, end.code) {
		return nil, c.failure(fmt.Errorf("exit status %d", end.code), end)
	}
	if c.json {
		return c.jsonResult(end)
	}
	return c.textResult(end)
}

func (c *command) textResult(end ending) (any, error) {
	text, cut := trimNewline(end.stdout), end.written-int64(len(end.stdout))
	if cut > 0 {
		text = trimRune(text)
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("it ran to its end (exit status %d), but the %d bytes that it printed are not text in UTF-8", end.code, end.written)
	}
	if cut > 0 {
		return fmt.Sprintf("%s\n[cut: the first %d of %d bytes]", registry.Visible(string(text)), len(text), end.written), nil
	}
	return registry.Visible(string(text)), nil
}

func (c *command) jsonResult(end ending) (any, error) {
	ran := fmt.Sprintf("it ran to its end (exit status %d), but", end.code)
	text := json.RawMessage(bytes.TrimSpace(end.stdout))
	if len(text) == 0 {
		return nil, errors.New(ran + " it printed nothing where JSON was expected")
	}
	if end.written > int64(len(end.stdout)) {
		return nil, fmt.Errorf("%s it printed %d bytes, more than the %d that are read", ran, end.written, maxOutput)
	}
	if _, err := validate.Decode(text); err != nil {
		return nil, fmt.Errorf("%s what it printed is not the JSON that was expected: %w", ran, err)
	}
	return registry.VisibleJSON(text), nil
}

// failure is an error text with the end of what the program said, on stderr or else on stdout. Values of references
// are taken out of it here; those of hidden and secret parameters the registry takes out.
func (c *command) failure(what error, end ending) error {
	said := end.stderr
	if len(bytes.TrimSpace(said)) == 0 {
		said = lastBytes(end.stdout, maxTail)
	}
	text := strings.TrimSpace(registry.Visible(strings.ToValidUTF8(registry.Redact(string(said), c.secrets), "\uFFFD")))
	switch {
	case text == "":
		return what
	case strings.Contains(text, "\n"):
		return fmt.Errorf("%w:\n%s", what, text)
	}
	return fmt.Errorf("%w: %s", what, text)
}
