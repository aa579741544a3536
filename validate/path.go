package validate

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// path leads from the root of a value to a part of it.
type path []step

type step struct {
	key   string
	index int
	list  bool // index counts, not key
}

const maxPath = 200 // characters of steps in one printed path

// in writes the path below root: args.steps[1].action, args["a b"]. Of a path over 200
// characters the end is shown.
func (p path) in(root string) string {
	steps := make([]string, len(p))
	size, from := 0, 0
	for i := len(p) - 1; i >= 0; i-- {
		steps[i] = p[i].String()
		if size += utf8.RuneCountInString(steps[i]); size > maxPath {
			from = i + 1
			root += "…"
			break
		}
	}
	return root + strings.Join(steps[from:], "")
}

// Child is the path of a member below path, as the paths of problems are written: args.id, args["a b"]. Long keys are
// cut.
func Child(path, key string) string { return path + step{key: key}.String() }

func (s step) String() string {
	switch {
	case s.list:
		return "[" + strconv.Itoa(s.index) + "]"
	case identifier(s.key):
		return "." + s.key
	}
	return `["` + escaped(cut(s.key, maxQuote)) + `"]`
}

// with is p and one step more; p itself stays as it is.
func (p path) with(s step) path {
	return append(p[:len(p):len(p)], s)
}

func identifier(key string) bool {
	if key == "" || len(key) > maxQuote {
		return false
	}
	for i, r := range key {
		if r == '_' || unicode.IsLetter(r) || i > 0 && unicode.IsDigit(r) {
			continue
		}
		return false
	}
	return true
}

// locate follows a pointer of the schema library into v. A step is an index only where
// the value is a list. A step that leads nowhere ends the path.
func locate(v any, pointer string) (path, any) {
	var p path
	for pointer != "" {
		token, rest, more := strings.Cut(pointer[1:], "/")
		pointer = ""
		if more {
			pointer = "/" + rest
		}
		key := unescapeLibrary(token)
		switch parent := v.(type) {
		case map[string]any:
			p, v = append(p, step{key: key}), parent[key]
		case []any:
			i, ok := arrayIndex(key)
			if !ok || i >= len(parent) {
				return p, v
			}
			p, v = append(p, step{index: i, list: true}), parent[i]
		default:
			return p, v
		}
	}
	return p, v
}

func arrayIndex(token string) (int, bool) {
	if token == "" || len(token) > 9 || strings.Trim(token, "0123456789") != "" {
		return 0, false
	}
	i, err := strconv.Atoi(token)
	return i, err == nil
}

func escapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

func unescapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// unescapeLibrary reads a step of the library's pointers, which are escaped for URLs too.
func unescapeLibrary(token string) string {
	if plain, err := url.PathUnescape(token); err == nil {
		token = plain
	}
	return unescapePointer(token)
}
