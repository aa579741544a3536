package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/validate"
)

// The bounds of a method's parameters.
const (
	maxParams    = 2000 // with all fields and items
	maxParamName = 128  // characters
)

// ownWords are the JSON Schema words that a parameter has fields for.
var ownWords = []string{"type", "enum", "default", "description", "properties", "required", "items"}

// params checks the parameters and brings listed values and defaults into their form.
func (p *preparation) params() {
	for i := range p.m.Params {
		param := &p.m.Params[i]
		before := len(p.flaws)
		p.param(param, "params."+param.Name, true)
		if len(p.flaws) == before && param.Hidden() && p.fillable(param) {
			p.filler(param)
		}
	}
	p.siblings(p.m.Params, "params")
}

// bounded says what keeps parameters from being looked at any further.
func bounded(params []Param, left *int, depth int) error {
	if depth > maxShapeDepth {
		return fmt.Errorf("parameters are nested more than %d deep", maxShapeDepth)
	}
	for i := range params {
		if *left--; *left < 0 {
			return fmt.Errorf("there are more than %d parameters and fields", maxParams)
		}
		if items := params[i].Items; items != nil {
			if err := bounded([]Param{*items}, left, depth+1); err != nil {
				return err
			}
		}
		if err := bounded(params[i].Fields, left, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// siblings checks the names of parameters that stand beside each other.
func (p *preparation) siblings(params []Param, path string) {
	seen := make(map[string]bool, len(params))
	for i := range params {
		name := params[i].Name
		if err := checkParamName(name); err != nil {
			p.flaw(path, "parameter %d: %v", i+1, err)
		}
		if seen[name] {
			p.flaw(path+"."+name, "declared twice")
		}
		seen[name] = true
	}
}

func checkParamName(name string) error {
	switch n := utf8.RuneCountInString(name); {
	case name == "":
		return fmt.Errorf("the name is empty")
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %+q is not valid UTF-8", cutText(name, maxQuoted))
	case n > maxParamName:
		return fmt.Errorf("the name %s has %d characters; at most %d are allowed", validate.Quote(name), n, maxParamName)
	}
	if i := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		return fmt.Errorf("the name %+q holds a character that can't be seen", name)
	}
	return nil
}

// hidden checks the hidden parameters alone; all else was made before.
func (p *preparation) hidden() {
	left := p.m.made.hidden
	for i := range p.m.Params {
		param := &p.m.Params[i]
		if !param.Hidden() {
			continue
		}
		if p.fillable(param) {
			p.m.fillers = append(p.m.fillers, left[0].from(param))
		}
		left = left[1:]
	}
}

// fillable checks where the value of a hidden parameter comes from.
func (p *preparation) fillable(param *Param) bool {
	if param.Fill != nil || source(param.From) != nil {
		return true
	}
	p.flaw("params."+param.Name+".from", "nothing can fill this parameter: %s is not one of %s%s", validate.Quote(param.From),
		strings.Join(sourceNames, ", "), didYouMean(param.From, sourceNames))
	return false
}

// filler makes what fills a hidden parameter.
func (p *preparation) filler(param *Param) {
	f, err := newFiller(param)
	if err != nil {
		p.flaw("params."+param.Name, "%v", err)
		return
	}
	p.m.made.hidden = append(p.m.made.hidden, f)
	p.m.fillers = append(p.m.fillers, f.from(param))
}

// param checks one parameter with all below it.
func (p *preparation) param(param *Param, path string, top bool) {
	if !top && param.Hidden() {
		p.flaw(path, "only a parameter of the method itself can be filled in by the server")
	}
	if string(bytes.TrimSpace(param.Default)) == "null" {
		param.Default, param.Optional = nil, true // null is the same as not given
	}
	if !p.form(param, path) {
		return
	}
	before := len(p.flaws)
	if param.Items != nil {
		p.param(param.Items, path+".items", false)
	}
	for i := range param.Fields {
		p.param(&param.Fields[i], path+".fields."+param.Fields[i].Name, false)
	}
	p.siblings(param.Fields, path+".fields")
	if len(p.flaws) == before {
		p.values(param, path)
	}
}

// form checks which parts of a description stand together, and reports whether it is worth looking further.
func (p *preparation) form(param *Param, path string) bool {
	before := len(p.flaws)
	types := []Type{Any, String, Integer, Number, Boolean, Array, Object}
	switch {
	case !slices.Contains(types, param.Type):
		names := []string{"string", "integer", "number", "boolean", "array", "object"}
		p.flaw(path, "type %s is not one of %s%s", validate.Quote(string(param.Type)), strings.Join(names, ", "),
			didYouMean(string(param.Type), names))
	case param.Schema != nil && (param.Type != Any || param.Enum != nil || param.Items != nil || param.Fields != nil || len(param.Keywords) > 0):
		p.flaw(path, "a whole schema stands alone; put type, enum, items, fields and further words into it")
	case param.Items != nil && param.Type != Array:
		p.flaw(path, "items are for the type array, not for %s", param.Type.noun())
	case param.Fields != nil && param.Type != Object:
		p.flaw(path, "fields are for the type object, not for %s", param.Type.noun())
	case param.Enum != nil && len(param.Enum) == 0:
		p.flaw(path+".enum", "no value is listed, so none would be allowed")
	}
	if param.Fields != nil && param.has("additionalProperties") {
		p.flaw(path, "an object with fields has no others; leave additionalProperties out")
	}
	for _, k := range param.Keywords {
		if slices.Contains(ownWords, k.Name) {
			p.flaw(path, "the word %q has a place of its own in a parameter; use that", k.Name)
		}
	}
	return len(p.flaws) == before
}

// values checks the listed values and the default against the parameter's own schema.
func (p *preparation) values(param *Param, path string) {
	if param.Enum == nil && param.Default == nil {
		return
	}
	bare := *param
	bare.Enum, bare.Default, bare.Placeholder = nil, nil, ""
	if param.Enum != nil {
		if !p.members(param, &bare, path) || param.Default == nil {
			return
		}
		bare.Enum = param.Enum
	}
	if param.Default != nil {
		p.fits(&bare, param.Default, path, "default")
	}
}

// members brings the listed values to the parameter's type and checks them.
func (p *preparation) members(param, bare *Param, path string) bool {
	before := len(p.flaws)
	seen := make(map[string]bool, len(param.Enum))
	for i, v := range param.Enum {
		at := fmt.Sprintf("enum[%d]", i)
		if string(bytes.TrimSpace(v)) == "null" && param.Type != Any {
			p.flaw(path+"."+at, "null is not %s; leave it out and make the parameter optional", param.Type.noun())
			continue
		}
		value, err := valueOfType(param.Type, v)
		if err != nil {
			p.flaw(path+"."+at, "%v", err)
			continue
		}
		param.Enum[i] = value
		decoded, err := validate.Decode(value)
		if err != nil {
			p.flaw(path+"."+at, "%v", err)
			continue
		}
		if key := string(canonical(decoded)); seen[key] {
			p.flaw(path+"."+at, "%s is listed twice", cutText(string(value), maxQuoted))
		} else {
			seen[key] = true
		}
	}
	if len(p.flaws) > before || isScalar(param.Type) && len(param.Keywords) == 0 {
		return len(p.flaws) == before
	}
	for i, v := range param.Enum {
		p.fits(bare, v, path, fmt.Sprintf("enum[%d]", i))
	}
	return len(p.flaws) == before
}

func isScalar(t Type) bool { return t == String || t == Integer || t == Number || t == Boolean }

// fits checks one value against a parameter's schema.
func (p *preparation) fits(param *Param, value json.RawMessage, path, what string) {
	checker, err := checkerOf(param)
	if err != nil {
		p.flaw(path, "%v", err)
		return
	}
	v, err := validate.Decode(value)
	if err != nil {
		p.flaw(path+"."+what, "%v", err)
		return
	}
	for _, problem := range checker.Check(what, v) {
		place := path + "." + problem.Path
		problem.Path = ""
		p.flaw(place, "%s", problem)
	}
}

// checkerOf is the compiled schema of one parameter.
func checkerOf(param *Param) (*validate.Schema, error) {
	text, err := schemaOfParam(*param)
	if err != nil {
		return nil, err
	}
	return validate.Compile(text)
}
