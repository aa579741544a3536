package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const maxDepth = 200 // of lists and objects in one value

// Decode reads one strict JSON value: no duplicate keys, no trailing text, depth at most
// 200, numbers as json.Number with at most 40 characters and an exponent from -324 to 308.
// Objects are map[string]any, lists []any. Bytes that are not UTF-8 are refused; the
// escape of half a surrogate pair reads as U+FFFD, since it is sound JSON that no
// text can hold. The error is an *Error of kind BadArgs that names the offset in bytes.
func Decode(raw json.RawMessage) (any, error) {
	if v, ok := scan(raw); ok {
		return v, nil
	}
	return decodeStrictly(raw)
}

func decodeStrictly(raw []byte) (any, error) {
	v, fault := decode(raw, func(keys []string, at map[string]any) any { return at }, false)
	if fault != nil {
		return nil, NewError("", Problem{Kind: BadArgs, Hint: fault.String()})
	}
	return v, nil
}

// unreadable says where and why a text is no strict JSON.
type unreadable struct {
	offset int
	place  jsontext.Pointer // the value around it, as far as it was read
	what   string
}

func (u *unreadable) String() string {
	where := fmt.Sprintf("at offset %d", u.offset)
	if u.place != "" {
		where += " (in " + pointerPath(string(u.place)) + ")"
	}
	return "this is not strict JSON " + where + ": " + u.what
}

// ordered is a JSON object that knows the order of its keys.
type ordered struct {
	keys []string
	at   map[string]any
}

// decodeOrdered is Decode with objects as *ordered.
func decodeOrdered(raw []byte) (any, *unreadable) {
	return decode(raw, func(keys []string, at map[string]any) any { return &ordered{keys, at} }, true)
}

// unordered turns what decodeOrdered read into what Decode reads.
func unordered(v any) any {
	switch v := v.(type) {
	case *ordered:
		m := make(map[string]any, len(v.at))
		for k, item := range v.at {
			m[k] = unordered(item)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = unordered(item)
		}
		return list
	}
	return v
}

func decode(raw []byte, object func([]string, map[string]any) any, keys bool) (any, *unreadable) {
	if !utf8.Valid(raw) {
		return nil, &unreadable{invalidAt(raw), "", "the bytes are no UTF-8"}
	}
	d := decoder{
		in:     jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowInvalidUTF8(true)),
		object: object,
		keys:   keys,
	}
	v, err := d.value()
	if err != nil {
		return nil, d.explain(err, raw)
	}
	if _, err := d.in.ReadToken(); err != io.EOF {
		return nil, &unreadable{int(d.in.InputOffset()), "", "there is text behind the value"}
	}
	return v, nil
}

type decoder struct {
	in     *jsontext.Decoder
	object func([]string, map[string]any) any
	keys   bool // the order of keys is wanted
}

// refusal is a fault of a value that is sound JSON.
type refusal struct {
	message string
	size    int // bytes of what is refused; they end where the reader stands
}

func (r *refusal) Error() string { return r.message }

func (d *decoder) value() (any, error) {
	token, err := d.in.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		text := token.String()
		if fault := numberFault(text); fault != "" {
			return nil, &refusal{"the number " + cut(text, maxQuote) + " is " + fault, len(text)}
		}
		return json.Number(text), nil
	}
	if d.in.StackDepth() > maxDepth {
		return nil, &refusal{fmt.Sprintf("lists and objects are nested deeper than %d", maxDepth), 1}
	}
	if token.Kind() == '[' {
		return d.list()
	}
	return d.members()
}

func (d *decoder) list() (any, error) {
	list := []any{}
	for d.in.PeekKind() != ']' {
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.in.ReadToken()
	return list, err
}

func (d *decoder) members() (any, error) {
	var order []string
	at := map[string]any{}
	for d.in.PeekKind() != '}' {
		token, err := d.in.ReadToken()
		if err != nil {
			return nil, err
		}
		key := token.String()
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		at[key] = v
		if d.keys {
			order = append(order, key)
		}
	}
	_, err := d.in.ReadToken()
	return d.object(order, at), err
}

// explain words an error of reading.
func (d *decoder) explain(err error, raw []byte) *unreadable {
	var refused *refusal
	if errors.As(err, &refused) {
		return &unreadable{int(d.in.InputOffset()) - refused.size, d.in.StackPointer(), refused.message}
	}
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return &unreadable{len(raw), "", "there is no value"} // io.EOF: nothing but blanks
	}
	offset, place := int(syntax.ByteOffset), syntax.JSONPointer
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &unreadable{offset, place.Parent(), "the key " + quote(place.LastToken()) + " stands there twice"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &unreadable{len(raw), place, "the text ends in the middle of a value"}
	}
	return &unreadable{offset, place, cut(printable(syntax.Err.Error()), 200) + slipAt(raw, offset)}
}

// slipAt names the habit of another language that a syntax error shows, if any.
func slipAt(raw []byte, offset int) string {
	if offset >= len(raw) {
		return ""
	}
	switch raw[offset] {
	case '\'', '`':
		return "; texts and keys stand in double quotes"
	case ',':
		return "; a comma needs a value behind it"
	case '/', '#':
		return "; comments can't be used"
	case 'N', 'T', 'F', 'I', 'u':
		return "; the only words are true, false and null"
	}
	return ""
}

func invalidAt(raw []byte) int {
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(raw)
}

// pointerPath writes a JSON Pointer as a path without a root: steps[1].action.
func pointerPath(pointer string) string {
	var p path
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = unescapePointer(token)
		if i, ok := arrayIndex(token); ok {
			p = append(p, step{index: i, list: true})
			continue
		}
		p = append(p, step{key: token})
	}
	return strings.TrimPrefix(p.in(""), ".")
}
