package validate

import (
	"encoding/json"
	"strings"
)

// mistyped adds to a value of another type how to write it: most slips are the right value
// in the wrong dress.
func (x *explainer) mistyped(p *Problem, f *fault) {
	wanted := f.wanted()
	if f.node != nil && f.types == 0 && len(f.node.literals) > 0 {
		p.Nearest = nearestValue(f.value, f.node.literals[0])
	}
	hint, v := dressed(f.value, wanted)
	if v != nil && x.accepts(f.node, v) && !f.secret() {
		p.Hint, p.Example = hint, literal(v)
		return
	}
	p.Hint, p.Example = advice(f.value, wanted), x.example(f.node)
}

// dressed is the value that v was meant to be, when there is one way to read it, and how it
// is to be written.
func dressed(v any, wanted types) (hint string, meant any) {
	switch v := v.(type) {
	case string:
		return undressedText(strings.TrimSpace(v), wanted)
	case json.Number:
		text := v.String()
		if wanted&anInteger != 0 && whole(text) != "" {
			return "Write it without point and exponent", json.Number(whole(text))
		}
		if wanted&aString != 0 {
			return "Write it in quotes", text
		}
		if wanted&anArray != 0 {
			return "Write a list, even for one item", []any{v}
		}
	case bool:
		if wanted&aString != 0 {
			return "Write it in quotes", literal(v)
		}
	case []any:
		if len(v) == 1 && wanted&typeOf(v[0]) != 0 {
			return "Write the value itself, not a list of it", v[0]
		}
	}
	return "", nil
}

func undressedText(s string, wanted types) (hint string, meant any) {
	lower := strings.ToLower(s)
	switch {
	case wanted&(aFloat|anInteger) != 0 && isNumber(s):
		return "Write the number without quotes", json.Number(s)
	case wanted&aBoolean != 0 && (lower == "true" || lower == "false"):
		return "Write it without quotes", lower == "true"
	case wanted&anObject != 0 && strings.HasPrefix(s, "{"), wanted&anArray != 0 && strings.HasPrefix(s, "["):
		if inner, err := Decode(json.RawMessage(s)); err == nil && wanted&typeOf(inner) != 0 {
			return "Write the JSON itself, not a text that holds it", inner
		}
	case wanted&anArray != 0:
		return "Write a list, even for one item", []any{s}
	}
	return "", nil
}

// advice is how a value of these types is written, when what was read does not tell what
// was meant.
func advice(v any, wanted types) string {
	switch v.(type) {
	case nil:
		return ""
	case map[string]any:
		if wanted == anArray {
			return "Write a list, even for one item"
		}
	}
	switch wanted {
	case aFloat, aFloat | anInteger:
		return "Write a plain JSON number"
	case anInteger:
		if n, ok := v.(json.Number); ok && strings.Trim(n.String(), "-0123456789") == "" {
			return "Write a whole JSON number of at most 64 bits"
		}
		return "Write a whole JSON number"
	case aBoolean:
		return "Write true or false, without quotes"
	case anArray:
		return "Write a JSON list"
	case anObject:
		return "Write a JSON object"
	}
	return ""
}

// unlisted adds to a value that is not listed the nearest one that is.
func (x *explainer) unlisted(p *Problem, f *fault) {
	allowed := f.allowed()
	if f.secret() {
		return
	}
	p.Nearest = nearestValue(f.value, allowed)
	if p.Nearest != "" {
		return
	}
	for _, v := range allowed {
		text, isText := v.(string)
		given, gaveText := f.value.(string)
		if f.literals == nil && !x.accepts(f.node, v) {
			continue
		}
		switch {
		case gaveText && !isText && literal(v) == strings.TrimSpace(given):
			p.Hint, p.Example = "Write it without quotes", literal(v)
		case isText && !gaveText && literal(f.value) == text:
			p.Hint, p.Example = "Write it in quotes", literal(v)
		}
	}
}

// nearestValue is the listed text that v is most likely a slip of.
func nearestValue(v any, allowed []any) string {
	s, ok := v.(string)
	if !ok {
		return ""
	}
	return Nearest(s, textList(allowed))
}

// outOfBounds adds an example to a value of the right type that breaks another word.
func (x *explainer) outOfBounds(p *Problem, f *fault) {
	if f.node == nil || f.word == "false" {
		return
	}
	p.Example = x.example(f.node)
	if f.word != "format" && f.word != "pattern" {
		return
	}
	if s, ok := f.value.(string); ok && !f.secret() && s != strings.TrimSpace(s) && x.accepts(f.node, strings.TrimSpace(s)) {
		p.Hint, p.Example = "Write it without blanks around it", literal(strings.TrimSpace(s))
	}
}
