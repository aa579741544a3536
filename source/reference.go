package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// maxSecret is the most that a referenced file may hold.
const maxSecret = 64 << 10

// reference is what env:NAME or file:PATH stands for.
type reference struct {
	text    string
	missing string // why there is no value; the name of the reference stands in it
	fix     string
	open    string // who else may read the file; "" = nobody
}

// isReference reports whether s is env:NAME or file:PATH.
func isReference(s string) bool {
	return strings.HasPrefix(s, "env:") || strings.HasPrefix(s, "file:")
}

// resolve reads a reference. An empty value counts as missing: it is what an unset secret looks like in
// many launchers.
func (h host) resolve(ref string) reference {
	var r reference
	if name, ok := strings.CutPrefix(ref, "env:"); ok {
		r = h.variable(name)
	} else {
		r = h.file(strings.TrimPrefix(ref, "file:"))
	}
	if r.missing == "" && strings.ContainsRune(r.text, 0) {
		return reference{missing: ref + " holds a NUL byte", fix: "Keep it as plain text"}
	}
	return r
}

func (h host) variable(name string) reference {
	text, ok := h.lookup(name)
	fix := fmt.Sprintf("Set %s where the server is started, in a client's settings under \"env\"", name)
	if !ok {
		return reference{missing: fmt.Sprintf("the environment variable %s is not set", name), fix: fix}
	}
	if text == "" {
		return reference{missing: fmt.Sprintf("the environment variable %s is empty", name), fix: fix}
	}
	return reference{text: text}
}

func (h host) file(name string) reference {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(h.dir, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return reference{missing: fmt.Sprintf("the file %s can't be read: %v", name, cause(err)), fix: "Create it, or mend the path"}
	}
	if !info.Mode().IsRegular() { // a pipe or a device may never end
		return reference{missing: fmt.Sprintf("%s is not a regular file", name), fix: "Name a file"}
	}
	text, err := readAtMost(path, maxSecret)
	if err != nil {
		return reference{missing: fmt.Sprintf("the file %s can't be read: %v", name, cause(err)), fix: "Let the server's user read it"}
	}
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if len(text) == 0 {
		return reference{missing: fmt.Sprintf("the file %s is empty", name), fix: "Put the value into it"}
	}
	r := reference{text: string(text)}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o004 != 0 {
		r.open = fmt.Sprintf("every user of this machine can read %s", name)
		r.fix = fmt.Sprintf("Run chmod 600 %s", name)
	}
	return r
}

func readAtMost(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it holds more than %d bytes", limit)
	}
	return data, nil
}

// cause is an error without the path that the text around it names already.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// secret is what a reference stands for, to be kept out of error texts. Without it the method is off.
func (b *builder) secret(pos config.Pos, key, ref string) (text string, ok bool) {
	r := b.resolve(ref)
	if r.missing != "" {
		b.disable(pos, key, r.missing, r.fix)
		return "", false
	}
	if r.open != "" {
		b.warn(pos, key, r.open, r.fix)
	}
	b.secrets = append(b.secrets, r.text)
	return r.text, true
}

// params gives each parameter whose value the machine holds its Fill. The registry has sources of its own, such
// as caller.id; these are left to it.
func (b *builder) params(params []registry.Param) []registry.Param {
	filled := params
	for i := range params {
		if !isReference(params[i].From) {
			continue
		}
		if &filled[0] == &params[0] {
			filled = slices.Clone(params)
		}
		filled[i].Fill = b.fill(&filled[i])
	}
	return filled
}

func (b *builder) fill(p *registry.Param) registry.Fill {
	key := "params." + p.Name
	r := b.resolve(p.From)
	if r.missing != "" {
		return b.without(p, key, r)
	}
	b.secrets = append(b.secrets, r.text)
	if r.open != "" {
		b.warn(config.Pos{}, key, r.open, r.fix)
	}
	if p.Type == registry.String || p.Type == registry.Any {
		return func(context.Context, registry.Caller) (any, error) { return r.text, nil }
	}
	v, err := validate.Decode(json.RawMessage(r.text))
	if err != nil || !holds(p.Type, v) {
		b.disable(config.Pos{}, key, fmt.Sprintf("%s does not hold a value of type %s", p.From, p.Type), "Mend the value, or the parameter's type")
		return func(context.Context, registry.Caller) (any, error) {
			return nil, errors.New(p.From + " holds no usable value")
		}
	}
	return decoded(json.RawMessage(r.text))
}

// without fills a parameter whose reference has no value with nothing: the registry takes its default then, or
// leaves it out when it is optional. A required one turns the method off.
func (b *builder) without(p *registry.Param, key string, r reference) registry.Fill {
	if p.Default == nil && !p.Optional {
		b.disable(config.Pos{}, key, r.missing, r.fix)
	}
	return func(context.Context, registry.Caller) (any, error) { return nil, nil }
}

// decoded gives each call a value of its own.
func decoded(raw json.RawMessage) registry.Fill {
	return func(context.Context, registry.Caller) (any, error) { return validate.Decode(raw) }
}

// holds reports whether a decoded value is of the type. An integer is judged by the registry, by its text.
func holds(t registry.Type, v any) bool {
	switch v.(type) {
	case json.Number:
		return t == registry.Integer || t == registry.Number
	case bool:
		return t == registry.Boolean
	case []any:
		return t == registry.Array
	case map[string]any:
		return t == registry.Object
	}
	return false
}
