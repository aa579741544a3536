// Package source gives a configured method its Run: a command, an HTTP request, a fixed value, structured data.
//
// All that depends on this machine is looked up once, by Build: programs, folders, secrets. What is
// missing turns one method off, with a reason; the others work. A reason, an error or a warning
// names a reference (env:TOKEN), never what it stands for.
//
// A command is started without a shell. Values are whole elements of argv, the environment is small
// and fixed, and the program runs in a process group of its own that ends with the call.
//
// A request goes to the host that the file names and nowhere else: a value can't leave the place that the
// file gives it, redirects are not followed, and a name that leads to a private address is refused when the
// connection is made.
package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Build makes runnable methods of a file's methods. A method that can't run here and now (a missing secret, a
// missing program) is made too, with Off saying why. Warnings are for stderr and validate.
func Build(f *config.File) (methods []registry.Method, warnings []config.Problem, err error) {
	dir, err := folder(f.Path)
	if err != nil {
		return nil, nil, err
	}
	return build(f, host{dir: dir, lookup: os.LookupEnv, euid: os.Geteuid(), web: sharedWeb()})
}

// host is what methods see of this machine.
type host struct {
	dir    string // the file's folder, absolute
	lookup func(name string) (value string, ok bool)
	euid   int // -1 where there is no such thing
	web    *web
	places *places
}

// folder is the folder of the file, or the working folder for a configuration that is in no file.
func folder(path string) (string, error) {
	if path == "" {
		dir, err := os.Getwd()
		if err != nil {
			return "", fmt.Errorf("finding the working folder: %w", err)
		}
		return dir, nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("folder of %s: %w", path, err)
	}
	return filepath.Dir(abs), nil
}

func build(f *config.File, h host) (methods []registry.Method, warnings []config.Problem, err error) {
	h.places = newPlaces()
	methods = make([]registry.Method, 0, len(f.Methods))
	var errs []error
	for i := range f.Methods {
		b := builder{host: h, file: f.Path, configured: &f.Methods[i]}
		m, err := b.method()
		if err != nil {
			errs = append(errs, fmt.Errorf("method %q: %w", f.Methods[i].Name, err))
			continue
		}
		methods = append(methods, m)
		warnings = append(warnings, b.warnings...)
	}
	if len(errs) > 0 {
		return nil, nil, errors.Join(errs...)
	}
	return methods, warnings, nil
}

// builder makes one method.
type builder struct {
	host
	file       string
	configured *config.Method
	off        []string
	warnings   []config.Problem
	secrets    []string // what references stand for; kept to be taken out of error texts
}

func (b *builder) method() (registry.Method, error) {
	m := b.configured.Method
	m.Params = b.params(m.Params)
	if c := b.configured.Command; c != nil {
		cmd, err := b.command(c, m.Params)
		if err != nil {
			return registry.Method{}, err
		}
		m.Run, m.Refuse, m.Pin, m.Found = cmd.run, cmd.argv.refuse, pin(c), cmd.found()
		if m.Source == "" {
			m.Source = describe(c)
		}
	}
	if h := b.configured.HTTP; h != nil {
		e := b.endpoint(h, &m)
		m.Run, m.Refuse, m.Pin = e.run, e.refuse, pinOf(h)
		if m.Source == "" {
			m.Source = describeEndpoint(h)
		}
	}
	if len(b.off) == 0 {
		return m, nil
	}
	if m.Off != "" {
		b.off = append([]string{m.Off}, b.off...)
	}
	m.Off = strings.Join(b.off, "; ")
	if m.Run != nil {
		m.Run = func(context.Context, registry.Args) (any, error) {
			return nil, registry.NotStarted(errors.New(m.Off))
		}
	}
	return m, nil
}

// disable turns the method off. The reason is a warning too, so that whoever starts the server sees it.
func (b *builder) disable(pos config.Pos, key, reason, fix string) {
	b.off = append(b.off, reason)
	b.warn(pos, key, reason+"; the method is off", fix)
}

func (b *builder) warn(pos config.Pos, key, message, fix string) {
	if pos.Line == 0 {
		pos = b.configured.Pos
	}
	b.warnings = append(b.warnings, config.Problem{
		File: b.file, Pos: pos, Key: "methods." + b.configured.Name + "." + key, Message: message, Fix: fix,
	})
}
