package registry

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcp-decide/mcp-decide/validate"
)

// condition is what an approval rule says of one argument. A part of it that speaks of a value that is absent, or of
// another type, can't be evaluated, and then a person is asked.
type condition struct {
	name   string           // of the parameter or field; "" = the value itself
	schema *validate.Schema // what has to hold; nil below the top, where the parent's schema holds all of it
	types  []Type           // that it speaks of; empty = any
	below  []condition      // of the fields of an object
}

// answer to whether a condition holds.
type answer int

const (
	fails answer = iota
	holds
	unclear
)

// asks reports whether a person has to agree to a call with these arguments.
func (m *Method) asks(args, hidden Args) bool {
	if m.Approval == nil {
		return false
	}
	all := holds
	for i := range m.made.conditions {
		c := &m.made.conditions[i]
		v, given := args[c.name]
		if !given {
			v, given = hidden[c.name]
		}
		switch c.of(v, given) {
		case unclear:
			return true
		case fails:
			all = fails
		}
	}
	return all == holds
}

// of evaluates the condition for one value.
func (c *condition) of(v any, given bool) answer {
	if !given || !c.speaksOf(v) {
		return unclear
	}
	fields, _ := v.(map[string]any)
	for i := range c.below {
		field, given := fields[c.below[i].name]
		if c.below[i].of(field, given) == unclear {
			return unclear
		}
	}
	if c.schema != nil && len(c.schema.Check("value", v)) > 0 {
		return fails
	}
	return holds
}

func (c *condition) speaksOf(v any) bool {
	if len(c.types) == 0 {
		return true
	}
	text, err := encodeJSON(v)
	if err != nil {
		return false
	}
	is := typeOfValue(text)
	return slices.Contains(c.types, is) || is == Integer && slices.Contains(c.types, Number)
}

// approval reads the rule of a method.
func (p *preparation) approval() {
	rule := p.m.Approval
	if rule == nil || rule.If == nil {
		return
	}
	v, err := validate.Decode(rule.If)
	if err != nil {
		p.flaw("requires_approval.if", "%v", err)
		return
	}
	conditions, ok := v.(map[string]any)
	if !ok || len(conditions) == 0 {
		p.flaw("requires_approval.if", `expected conditions by parameter, like {"amount": {"minimum": 50}}; leave it out to ask always`)
		return
	}
	var names []string
	for i := range p.m.Params {
		names = append(names, p.m.Params[i].Name)
	}
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		path := "requires_approval.if." + name
		if !slices.Contains(names, name) {
			p.flaw(path, "there is no parameter of that name%s", didYouMean(name, names))
			continue
		}
		c := conditionOf(name, conditions[name])
		text, err := json.Marshal(conditions[name])
		if err == nil {
			c.schema, err = validate.Compile(text)
		}
		if err != nil {
			p.flaw(path, "%v", err)
			continue
		}
		p.m.made.conditions = append(p.m.made.conditions, c)
	}
}

// conditionOf reads which types a schema speaks of, at the top and in the fields that it names.
func conditionOf(name string, schema any) condition {
	c := condition{name: name}
	words, _ := schema.(map[string]any)
	for word, value := range words {
		switch word {
		case "type":
			c.types = append(c.types, typesNamed(value)...)
		case "const":
			c.types = append(c.types, typesOf(value)...)
		case "enum":
			members, _ := value.([]any)
			c.types = append(c.types, typesOf(members...)...)
		default:
			c.types = append(c.types, typesOfWord[word]...)
		}
	}
	fields, _ := words["properties"].(map[string]any)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		c.below = append(c.below, conditionOf(field, fields[field]))
	}
	return c
}

// typesOfWord are the types of which a JSON Schema word says something; it holds for all others.
var typesOfWord = map[string][]Type{
	"minimum": {Number}, "maximum": {Number}, "exclusiveMinimum": {Number}, "exclusiveMaximum": {Number}, "multipleOf": {Number},
	"minLength": {String}, "maxLength": {String}, "pattern": {String}, "format": {String},
	"items": {Array}, "prefixItems": {Array}, "contains": {Array}, "minItems": {Array}, "maxItems": {Array}, "uniqueItems": {Array},
	"properties": {Object}, "required": {Object}, "minProperties": {Object}, "maxProperties": {Object},
	"additionalProperties": {Object}, "patternProperties": {Object}, "propertyNames": {Object},
}

func typesNamed(value any) []Type {
	switch v := value.(type) {
	case string:
		return []Type{Type(v)}
	case []any:
		var types []Type
		for _, name := range v {
			types = append(types, typesNamed(name)...)
		}
		return types
	}
	return nil
}

func typesOf(values ...any) []Type {
	var types []Type
	for _, v := range values {
		text, err := encodeJSON(v)
		if err != nil {
			continue
		}
		t := typeOfValue(text)
		if t == Integer {
			t = Number // 50 and 50.0 are one number
		}
		types = append(types, t)
	}
	return types
}
