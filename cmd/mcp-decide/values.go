package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// inputs makes one JSON object of k=v and k:=json words and of --args. A word wins over --args.
func (a *app) inputs(ctx context.Context, words []string, args string, params []registry.Param) (json.RawMessage, error) {
	base, err := a.argsObject(ctx, args)
	if errors.Is(err, errInterrupted) {
		return nil, err
	}
	if err != nil {
		return nil, usage("--args: %w", err)
	}
	object := map[string]json.RawMessage{}
	if base != nil {
		// Strictly first: a map would hide a key that is given twice.
		if _, err := validate.Decode(base); err != nil {
			return nil, usage("--args: %w", err)
		}
		if err := json.Unmarshal(base, &object); err != nil || object == nil {
			return nil, usage("--args is not a JSON object; write one like {\"key\": \"value\"}")
		}
	}
	seen := map[string]bool{}
	for _, word := range words {
		name, value, err := pair(word, params)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, usage("%s is given twice", name)
		}
		seen[name] = true
		object[name] = value
	}
	return encode(object)
}

// unknown are the keys of an object that are no parameters, in order.
func unknown(object json.RawMessage, params []registry.Param) []string {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(object, &given); err != nil {
		return nil
	}
	for _, p := range params {
		delete(given, p.Name)
	}
	return slices.Sorted(maps.Keys(given))
}

// argsObject reads --args: JSON, @file, or - for standard input. An empty file is no object: whatever should have written
// it may have failed.
func (a *app) argsObject(ctx context.Context, args string) (data []byte, err error) {
	switch {
	case args == "":
		return nil, nil
	case args == "-":
		data, err = a.readInput(ctx)
	case strings.HasPrefix(args, "@"):
		data, err = readFile(ctx, args[1:])
	default:
		data = []byte(args)
	}
	if err != nil {
		return nil, err
	}
	data = withoutMark(data)
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("there is nothing in it; write {} for no arguments")
	}
	return data, nil
}

// pair reads k=v, where v is text, or k:=json. A command line has no types, so for a number, an integer or a
// boolean the declared type says how v is read; what does not fit stays text and is refused by the checks.
func pair(word string, params []registry.Param) (string, json.RawMessage, error) {
	name, value, ok := strings.Cut(word, "=")
	if !ok || name == "" || name == ":" {
		return "", nil, usage("%q is no argument; write name=text or name:=json", word)
	}
	if !utf8.ValidString(word) {
		// Another character in its place would be another file, or another name.
		return "", nil, usage("%q is not text in UTF-8", word)
	}
	if raw, isJSON := strings.CutSuffix(name, ":"); isJSON {
		if _, err := validate.Decode(json.RawMessage(value)); err != nil {
			return "", nil, usage("%s:= needs JSON: %w", raw, err)
		}
		return raw, json.RawMessage(value), nil
	}
	for _, p := range params {
		if p.Name == name && scalar(p.Type) && fits(p.Type, value) {
			return name, json.RawMessage(value), nil
		}
	}
	text, err := encode(value)
	return name, text, err
}

func scalar(t registry.Type) bool {
	return t == registry.Integer || t == registry.Number || t == registry.Boolean
}

func fits(t registry.Type, value string) bool {
	v, err := validate.Decode(json.RawMessage(value))
	if err != nil {
		return false
	}
	switch v.(type) {
	case json.Number:
		return t != registry.Boolean
	case bool:
		return t == registry.Boolean
	}
	return false
}

// methodNamed finds a method, or says which one may have been meant.
func methodNamed(methods []*registry.Method, name string) (*registry.Method, error) {
	names := make([]string, 0, len(methods))
	for _, m := range methods {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("there is no method %q%s", name, meant(name, names))
}

func meant(name string, names []string) string {
	if near := validate.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) > 20 {
		return fmt.Sprintf("; there are %d, see mcp-decide list", len(names))
	}
	return "; there are " + strings.Join(names, ", ")
}

// asRead are the arguments that a pick gave and that count: without unknown keys, and without the defaults
// that the checks filled in.
func asRead(raw json.RawMessage, bound registry.Bound) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("{}"), nil
	}
	read, err := validate.Decode(raw)
	if err != nil {
		return nil, err
	}
	return encode(common(map[string]any(bound.Args), read))
}

// common keeps of a what b has too. Depth is bounded by the decoder.
func common(a, b any) any {
	switch a := a.(type) {
	case map[string]any:
		other, _ := b.(map[string]any)
		kept := map[string]any{}
		for k, v := range a {
			if o, ok := other[k]; ok {
				kept[k] = common(v, o)
			}
		}
		return kept
	case []any:
		other, _ := b.([]any)
		kept := make([]any, 0, len(a))
		for i := 0; i < len(a) && i < len(other); i++ {
			kept = append(kept, common(a[i], other[i]))
		}
		return kept
	}
	return a
}
