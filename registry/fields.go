package registry

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// paramsOf are the parameters that a struct's fields make.
func paramsOf(t reflect.Type) ([]Param, error) {
	r := typeReader{}
	params := r.fields(t)
	return params, r.err()
}

// returnsOf is the shape of a result; nil for a type that makes no object, or one without a fixed shape.
func returnsOf(t reflect.Type) (*Param, error) {
	r := typeReader{output: true}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[Block]() || r.known(&Param{}, t) {
		var ignored Param
		r.value(&ignored, t) // says what has no JSON form
		return nil, r.err()
	}
	p := Param{Type: Object, Fields: r.fields(t)}
	if err := r.err(); err != nil || r.recursive {
		return nil, err
	}
	return &p, nil
}

// typeReader reads Go types as shapes. It collects all problems; its path has JSON names.
type typeReader struct {
	shapeReader
	output    bool // what encodes to JSON counts, not what can be decoded
	open      []reflect.Type
	recursive bool // only for output: a type that contains itself was met
}

// fields reads the fields of a struct, embedded ones as encoding/json does.
func (r *typeReader) fields(t reflect.Type) []Param {
	if !r.enter(t) {
		return []Param{}
	}
	defer r.leave()
	params := []Param{}
	for i := range t.NumField() {
		params = append(params, r.field(t.Field(i))...)
	}
	seen := map[string]bool{}
	for _, p := range params {
		if seen[p.Name] {
			r.at(p.Name, func() { r.fail("rename one of them in its json tag", "%s has two fields of that JSON name", t) })
		}
		seen[p.Name] = true
	}
	return params
}

// field reads one field: no parameter, one, or those of an embedded struct.
func (r *typeReader) field(f reflect.StructField) []Param {
	tags, err := readTags(string(f.Tag))
	if err != nil {
		r.at(f.Name, func() { r.fail("", "struct tag: %v", err) })
		return nil
	}
	name, options, _ := strings.Cut(tags.get("json"), ",")
	if name == "-" && options == "" {
		return nil
	}
	if f.Anonymous && name == "" && elem(f.Type).Kind() == reflect.Struct && !r.known(&Param{}, elem(f.Type)) {
		return r.embedded(f)
	}
	if !f.IsExported() {
		if tags.describe() {
			r.at(f.Name, func() {
				r.fail("write its name with a capital", "the field has tags but is not exported, so it can't be filled")
			})
		}
		return nil
	}
	if name == "" {
		name = f.Name
	}
	p := Param{Name: name, Optional: f.Type.Kind() == reflect.Pointer}
	omitted := false
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty", "omitzero":
			p.Optional, omitted = true, true
		case "string":
			r.at(name, func() { r.fail("make it a string field", "the json option \"string\" hides the type") })
		}
	}
	r.at(name, func() {
		r.value(&p, f.Type)
		r.tagged(&p, tags)
		if r.output && !omitted {
			nullable(&p, f.Type)
		}
	})
	return []Param{p}
}

// embedded reads an embedded struct's fields as the struct's own.
func (r *typeReader) embedded(f reflect.StructField) []Param {
	if f.Type.Kind() == reflect.Pointer && !f.IsExported() {
		r.at(f.Name, func() { r.fail("embed it by value", "a pointer to the unexported %s can't be filled", f.Type.Elem()) })
		return nil
	}
	params := r.fields(elem(f.Type))
	if f.Type.Kind() == reflect.Pointer {
		for i := range params {
			params[i].Optional = true
		}
	}
	return params
}

// value fills in what a type says of its values.
func (r *typeReader) value(p *Param, t reflect.Type) {
	if len(r.path) > maxShapeDepth {
		r.fail("write it flatter", "types nest more than %d deep", maxShapeDepth)
		return
	}
	if r.known(p, t) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		r.value(p, t.Elem())
	case reflect.String:
		p.Type = String
	case reflect.Bool:
		p.Type = Boolean
	case reflect.Float32, reflect.Float64:
		p.Type = Number
	case reflect.Slice, reflect.Array:
		r.list(p, t)
	case reflect.Map:
		r.openObject(p, t)
	case reflect.Struct:
		p.Type = Object
		p.Fields = r.fields(t)
	case reflect.Interface:
		if t.NumMethod() > 0 && !r.output {
			r.fail("write any or a type of its own", "%s has methods, so no value can be made for it", t)
		}
	default:
		r.number(p, t)
	}
}

// number reads the integers. Up to 32 bits the width is told; more than 64 bits with a sign is no integer anywhere in
// the product, so a result of 64 bits without one is called a number.
func (r *typeReader) number(p *Param, t reflect.Type) {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		p.Type = Integer
	case reflect.Int8, reflect.Int16, reflect.Int32:
		p.Type = Integer
		bound := int64(1) << (t.Bits() - 1)
		r.bounds(p, strconv.FormatInt(-bound, 10), strconv.FormatInt(bound-1, 10))
	case reflect.Uint, reflect.Uint64:
		p.Type = Integer
		if r.output {
			p.Type = Number
		}
		r.bounds(p, "0", "")
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		p.Type = Integer
		r.bounds(p, "0", strconv.FormatInt(int64(1)<<t.Bits()-1, 10))
	default:
		r.fail("leave it out with json:\"-\"", "%s has no JSON form", t)
	}
}

func (r *typeReader) bounds(p *Param, low, high string) {
	if r.output {
		return
	}
	p.Keywords = append(p.Keywords, Keyword{"minimum", json.RawMessage(low)})
	if high != "" {
		p.Keywords = append(p.Keywords, Keyword{"maximum", json.RawMessage(high)})
	}
}

// list reads slices and arrays. A slice of bytes is a text in base64, as encoding/json has it.
func (r *typeReader) list(p *Param, t reflect.Type) {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !isText(t.Elem()) {
		p.Type = String
		p.Keywords = append(p.Keywords, Keyword{"contentEncoding", json.RawMessage(`"base64"`)})
		return
	}
	p.Type = Array
	if t.Kind() == reflect.Array {
		n := json.RawMessage(strconv.Itoa(t.Len()))
		p.Keywords = append(p.Keywords, Keyword{"minItems", n}, Keyword{"maxItems", n})
	}
	if !r.enter(t) {
		return
	}
	defer r.leave()
	p.Items = new(Param)
	r.at("items", func() { r.element(p.Items, t.Elem()) })
}

// openObject reads a map: an open object whose values are of one type.
func (r *typeReader) openObject(p *Param, t reflect.Type) {
	p.Type = Object
	switch k := t.Key(); {
	case k.Kind() == reflect.String || isText(k):
	case k.Kind() >= reflect.Int && k.Kind() <= reflect.Uint64:
		p.Keywords = append(p.Keywords, Keyword{"propertyNames", json.RawMessage(`{"pattern":"^(0|-?[1-9][0-9]*)$"}`)})
	default:
		r.fail("use string keys", "keys of type %s have no JSON form", k)
		return
	}
	if !r.enter(t) {
		return
	}
	defer r.leave()
	var values Param
	before := len(r.errs)
	r.at("values", func() { r.element(&values, t.Elem()) })
	if len(r.errs) > before {
		return
	}
	schema, err := schemaOfParam(values)
	if err != nil {
		r.fail("", "values: %v", err)
		return
	}
	if string(schema) != "{}" {
		p.Keywords = append(p.Keywords, Keyword{"additionalProperties", schema})
	}
}

func (r *typeReader) element(p *Param, t reflect.Type) {
	r.value(p, t)
	if r.output {
		nullable(p, t)
	}
}

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
)

// known reads the types whose JSON form is not that of their kind.
func (r *typeReader) known(p *Param, t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[time.Time]():
		p.Type = String
		p.Keywords = append(p.Keywords, Keyword{"format", json.RawMessage(`"date-time"`)})
		return true
	case reflect.TypeFor[json.Number]():
		p.Type = Number
		return true
	}
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return false
	}
	ofJSON, ofText := jsonUnmarshaler, textUnmarshaler
	if r.output {
		ofJSON, ofText = jsonMarshaler, textMarshaler
	}
	switch {
	case has(t, ofJSON):
		p.Type = Any
	case has(t, ofText):
		p.Type = String
	default:
		return false
	}
	return true
}

func isText(t reflect.Type) bool { return has(t, textUnmarshaler) || has(t, textMarshaler) }

func has(t, methods reflect.Type) bool {
	return t.Implements(methods) || reflect.PointerTo(t).Implements(methods)
}

func elem(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// enter notes that a type is being read. A type inside itself has no end: it is refused as an input, and
// as a result it is a shape that is not told.
func (r *typeReader) enter(t reflect.Type) bool {
	if slices.Contains(r.open, t) {
		if r.output {
			r.recursive = true
			return false
		}
		r.fail("use json.RawMessage for the inner one", "%s contains itself", t)
		return false
	}
	r.open = append(r.open, t)
	return true
}

func (r *typeReader) leave() { r.open = r.open[:len(r.open)-1] }

// nullable widens the shape of a value that encodes to null when it is nil.
func nullable(p *Param, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
	default:
		return
	}
	if p.Type == Any {
		return
	}
	wide := *p
	if p.Enum != nil {
		wide.Enum = append(slices.Clip(p.Enum), json.RawMessage("null"))
	}
	schema, err := schemaOfParam(wide)
	if err != nil {
		return // said when the method is registered
	}
	one := fmt.Sprintf(`{"type":%q`, p.Type)
	two := fmt.Sprintf(`{"type":[%q,"null"]`, p.Type)
	*p = Param{Name: p.Name, Optional: p.Optional, Secret: p.Secret,
		Schema: json.RawMessage(strings.Replace(string(schema), one, two, 1))}
}
