package validate

import (
	"cmp"
	"encoding/json"
	"strings"
)

// misshapen says what is wrong with the value of a word, as far as the word alone decides.
func misshapen(s shape, v any) (fault, fix string) {
	switch s {
	case aBool:
		if _, ok := v.(bool); !ok {
			return expected("true or false", v), ""
		}
	case aText, aPattern:
		if _, ok := v.(string); !ok {
			return expected("a text", v), ""
		}
	case aList:
		if _, ok := v.([]any); !ok {
			return expected("a list", v), ""
		}
	case aNumber, aPositive:
		text, ok := v.(json.Number)
		if !ok {
			return expected("a number", v), numberHint(v)
		}
		if s == aPositive && newBound("0").compare(text.String()) <= 0 {
			return expected("a number over 0", v), ""
		}
	case aCount:
		text, _ := v.(json.Number)
		if i, ok := integer(text.String()); !ok || i < 0 || i > maxLength {
			return expected("a whole number from 0 to 2147483648", v), ""
		}
	case aReference:
		return misplaced(v)
	case anAnchor:
		if name, ok := v.(string); !ok || !anchorName(name) {
			return expected("a name of letters, digits, - _ and . that starts with a letter or _", v), ""
		}
	case aType:
		return mistyped(v)
	case texts:
		return notTexts(v)
	case schemas:
		if list, ok := v.([]any); !ok || len(list) == 0 {
			return expected("a list of at least one schema", v), ""
		}
	case aSchema:
		switch v.(type) {
		case *ordered, bool:
		case []any:
			return expected("one schema", v), `for a list with a schema for each place write "prefixItems"`
		default:
			return expected("a schema, which is an object, true or false", v), ""
		}
	case schemaMap, patternMap, eitherMap, textsMap:
		return notMap(s, v)
	}
	return "", ""
}

func numberHint(v any) string {
	if _, flag := v.(bool); flag {
		return `in draft 2020-12 the bound itself stands here: "exclusiveMinimum": 0`
	}
	return ""
}

func expected(what string, v any) string {
	return "expected " + what + ", not " + describe(unordered(v))
}

func misplaced(v any) (fault, fix string) {
	s, ok := v.(string)
	if !ok {
		return expected("a text", v), ""
	}
	if !strings.HasPrefix(s, "#") {
		return "the reference " + quote(s) + " leads out of the schema, and nothing is fetched or opened",
			`copy what it means under "$defs" and write "#/$defs/name"`
	}
	return "", ""
}

func anchorName(s string) bool {
	for i, r := range s {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r != '-' && r != '.' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

func mistyped(v any) (fault, fix string) {
	names := []any{v}
	if list, ok := v.([]any); ok {
		names = list
		if fault, fix := notTexts(v); fault != "" || len(list) == 0 {
			return expected("a type name, or a list of different ones", v), fix
		}
	}
	for _, name := range names {
		s, ok := name.(string)
		if !ok {
			return expected("a type name", name), ""
		}
		if _, ok := typeNamed(s); ok {
			continue
		}
		all := make([]string, len(typeNames))
		for i, t := range typeNames {
			all[i] = t.name
		}
		if near := cmp.Or(foreign[s], Nearest(s, all)); near != "" {
			fix = "did you mean " + quote(near) + "?"
		}
		return quote(s) + " is no type; types are " + strings.Join(all, ", "), fix
	}
	return "", ""
}

// foreign are the type names of other languages that come to mind first.
var foreign = map[string]string{
	"str": "string", "text": "string", "int": "integer", "float": "number", "double": "number",
	"bool": "boolean", "list": "array", "dict": "object", "map": "object", "None": "null",
}

func notTexts(v any) (fault, fix string) {
	list, ok := v.([]any)
	if _, flag := v.(bool); flag {
		return expected("a list of names", v), `name the required properties beside "properties": "required": ["name"]`
	}
	if !ok {
		return expected("a list of names", v), ""
	}
	seen := map[string]bool{}
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return expected("a list of names", item), ""
		}
		if seen[s] {
			return "the name " + quote(s) + " stands there twice", ""
		}
		seen[s] = true
	}
	return "", ""
}

func notMap(s shape, v any) (fault, fix string) {
	m, ok := v.(*ordered)
	if !ok {
		return expected("an object with names", v), ""
	}
	for _, key := range m.keys {
		_, list := m.at[key].([]any)
		if s == textsMap || s == eitherMap && list {
			if fault, fix = notTexts(m.at[key]); fault != "" {
				return "under " + quote(key) + ": " + fault, fix
			}
		}
	}
	return "", ""
}
