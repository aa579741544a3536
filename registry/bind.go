package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-decide/mcp-decide/validate"
)

// The bounds of what is read and told of one call's arguments.
const (
	maxArgs    = 16 << 20 // bytes
	maxDropped = 100      // paths that are kept
	maxGuesses = 200      // unknown keys for which a near name is looked up
)

// Bound are arguments that passed every check.
type Bound struct {
	Args    Args     // with defaults, without hidden values
	Dropped []string // paths of unknown keys that were left out; at most 100
	hidden  Args     // reaches Run only
	root    *node
}

// Check does what Call does first, and nothing else: reads the arguments, drops unknown keys, checks
// all of it, fills in defaults. Hidden values are not filled. The error is a *validate.Error.
func (m *Method) Check(raw json.RawMessage) (Bound, error) {
	return m.check(raw, slog.New(slog.DiscardHandler))
}

func (m *Method) check(raw json.RawMessage, log *slog.Logger) (Bound, error) {
	args, err := m.read(raw)
	if err != nil {
		return Bound{}, err
	}
	r := reader{}
	r.object(m.made.root, args, "args")
	if problems := r.with(m.made.checker.Check("args", args)); len(problems) > 0 {
		return Bound{}, m.unfit(problems)
	}
	m.made.root.fill(args)
	bound := Bound{Args: args, Dropped: r.dropped, root: m.made.root}
	if problems := m.refuse(bound, log); len(problems) > 0 {
		return Bound{}, m.unfit(problems)
	}
	return bound, nil
}

// refuse asks the method itself. A panic in it is logged, and a problem like others: what can't be checked is not run.
func (m *Method) refuse(b Bound, log *slog.Logger) (problems []validate.Problem) {
	if m.Refuse == nil {
		return nil
	}
	defer func() {
		if broke := recover(); broke != nil {
			log.Error("check of arguments broke", "method", m.Name, "panic", b.redact(fmt.Sprint(broke)), "stack", string(debug.Stack()))
			problems = []validate.Problem{{Kind: validate.BadArgs, Path: "args", Hint: "the method could not check these arguments"}}
		}
	}()
	return m.Refuse(b.Args)
}

// read decodes the arguments: an object, or nothing.
func (m *Method) read(raw json.RawMessage) (map[string]any, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	if len(raw) > maxArgs {
		return nil, validate.NewError(m.Name, validate.Problem{Kind: validate.BadArgs, Path: "args",
			Expected: fmt.Sprintf("at most %d bytes", maxArgs), Read: fmt.Sprintf("%d bytes", len(raw))})
	}
	v, err := validate.Decode(raw)
	if err != nil {
		return nil, m.unreadable(err)
	}
	switch v := v.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return v, nil
	}
	p := validate.Problem{Kind: validate.BadArgs, Path: "args",
		Expected: "an object", Read: validate.Describe(v), Hint: `Write the arguments as one JSON object, {"name": value}`}
	if m.made.root.veiled {
		p.Read = "another value"
	}
	return nil, validate.NewError(m.Name, p)
}

// unreadable says what is no JSON; of arguments that may hold a secret no part is repeated.
func (m *Method) unreadable(err error) error {
	if m.made.root.veiled {
		return validate.NewError(m.Name, validate.Problem{Kind: validate.BadArgs, Path: "args",
			Hint: "this is not strict JSON; what is wrong with it is not shown, since it may hold a secret"})
	}
	if e, ok := err.(*validate.Error); ok {
		return validate.NewError(m.Name, e.Problems...)
	}
	return validate.NewError(m.Name, validate.Problem{Kind: validate.BadArgs, Path: "args", Hint: err.Error()})
}

// unfit makes the error of problems. It may be shown or kept anywhere, so nothing that was read of a secret value is in it.
func (m *Method) unfit(problems []validate.Problem) error {
	for i := range problems {
		p := &problems[i]
		if p.Read != "" && m.made.root.veils(p.Path) {
			// An example and a near word may be made of the value too.
			p.Read, p.Hint, p.Example, p.Nearest = "a value that is not shown", "", "", ""
		}
	}
	return validate.NewError(m.Name, problems...)
}

// veils reports whether a path leads to or into a parameter that holds something secret. Of a path that is shown
// without its beginning nobody can tell, so it does.
func (n *node) veils(path string) bool {
	if !n.veiled {
		return false
	}
	if strings.HasPrefix(path, "args…") {
		return true
	}
	for i := range n.fields {
		f := &n.fields[i]
		if f.node == nil || !f.node.veiled {
			continue
		}
		below, ok := strings.CutPrefix(path, validate.Child("args", f.name))
		if ok && (below == "" || below[0] == '.' || below[0] == '[') {
			return true
		}
	}
	return false
}

// reader brings decoded arguments into the form that the schema checks, and collects what it can't.
type reader struct {
	problems []validate.Problem
	slips    map[string]string // path of an absent required parameter: which unknown key to rename
	dropped  []string
	guesses  int
}

// value looks at one place and all below it.
func (r *reader) value(n *node, v any, path string) {
	if n == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		r.object(n, v, path)
	case []any:
		if n.items == nil {
			return
		}
		for i, item := range v {
			r.value(n.items, item, path+"["+strconv.Itoa(i)+"]")
		}
	}
}

func (r *reader) object(n *node, v map[string]any, path string) {
	for f := range n.present(v) {
		given := v[f.name]
		switch {
		case f.hidden:
			delete(v, f.name)
			r.refuse(validate.Problem{Kind: validate.BadArgs, Path: validate.Child(path, f.name),
				Hint: f.name + " is filled in by the server; leave it out"})
		case given == nil && !f.required && !f.nullable:
			delete(v, f.name) // null for an optional parameter means that it is not given
		case f.node != nil:
			r.value(f.node, given, validate.Child(path, f.name))
		}
	}
	if n.closed {
		r.unknown(n, v, path)
	}
}

// unknown leaves the keys out that the object does not have. A key that is near one which is absent is
// held to be a slip, and said.
func (r *reader) unknown(n *node, v map[string]any, path string) {
	var unknown []string
	for key := range v {
		if n.field(key) == nil {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return
	}
	slices.Sort(unknown)
	var absent []string
	if r.guesses < maxGuesses {
		absent = n.absent(v)
	}
	for _, key := range unknown {
		delete(v, key)
		if near := r.nearest(key, absent); near != "" {
			r.slip(n.field(near), key, path)
			continue
		}
		if len(r.dropped) < maxDropped {
			r.dropped = append(r.dropped, validate.Child(path, key))
		}
	}
}

// absent are the visible names that the object lacks.
func (n *node) absent(v map[string]any) []string {
	var names []string
	for i := range n.fields {
		if _, ok := v[n.fields[i].name]; !ok && !n.fields[i].hidden {
			names = append(names, n.fields[i].name)
		}
	}
	return names
}

func (r *reader) nearest(key string, names []string) string {
	if len(names) == 0 || r.guesses >= maxGuesses {
		return ""
	}
	r.guesses++
	return validate.Nearest(key, names)
}

// slip notes that key was written for the field f.
func (r *reader) slip(f *field, key, path string) {
	if f.required {
		if r.slips == nil {
			r.slips = map[string]string{}
		}
		r.slips[validate.Child(path, f.name)] = fmt.Sprintf("Rename %s to %s", validate.Quote(key), validate.Quote(f.name))
		return
	}
	r.refuse(validate.Problem{Kind: validate.BadArgs, Path: validate.Child(path, key), Nearest: f.name,
		Read: "the unknown key " + validate.Quote(key)})
}

func (r *reader) refuse(p validate.Problem) { r.problems = append(r.problems, p) }

// with joins the schema's problems to the reader's own, and says at what is missing which key was near it.
func (r *reader) with(found []validate.Problem) []validate.Problem {
	for i := range found {
		p := &found[i]
		if rename, ok := r.slips[p.Path]; ok && p.Kind == validate.MissingRequired {
			p.Hint, p.Example = rename, ""
		}
	}
	return append(r.problems, found...)
}
