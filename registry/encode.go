package registry

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Canonical are the arguments in the one form that all equal ones share: keys sorted at every depth, numbers as exact
// decimals (12, 12.0 and 1.2e1 are 12), texts in one escaping. Hidden values are left out.
func (b Bound) Canonical() json.RawMessage {
	e := encoder{exact: true}
	e.object(b.Args, nil)
	return e.out
}

// Masked are the arguments for traces and logs: in declared order, secret ones as "***", hidden ones left out.
func (b Bound) Masked() json.RawMessage {
	e := encoder{mask: true}
	e.object(b.Args, b.root)
	return e.out
}

// canonical is any decoded JSON value in canonical form.
func canonical(v any) []byte {
	e := encoder{exact: true}
	e.value(v, nil)
	return e.out
}

// encoder writes decoded JSON values. Members stand in the order of their node, others sorted behind.
type encoder struct {
	out   []byte
	exact bool // numbers as exact decimals
	mask  bool // secret values as ***
}

func (e *encoder) value(v any, n *node) {
	if n != nil && n.secret && e.mask {
		e.out = append(e.out, `"***"`...)
		return
	}
	switch v := v.(type) {
	case nil:
		e.out = append(e.out, "null"...)
	case bool:
		e.out = strconv.AppendBool(e.out, v)
	case json.Number:
		e.number(string(v))
	case string:
		e.out = appendText(e.out, v)
	case map[string]any:
		e.object(v, n)
	case []any:
		e.list(v, n)
	default:
		e.other(v)
	}
}

func (e *encoder) object(v map[string]any, n *node) {
	e.out = append(e.out, '{')
	first := len(e.out)
	known := 0
	if n != nil {
		for f := range n.present(v) {
			known++
			e.member(f.name, v[f.name], f.node, first)
		}
	}
	if known < len(v) {
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if n.field(key) == nil {
				e.member(key, v[key], nil, first)
			}
		}
	}
	e.out = append(e.out, '}')
}

func (e *encoder) member(name string, v any, n *node, first int) {
	if len(e.out) > first {
		e.out = append(e.out, ',')
	}
	e.out = appendText(e.out, name)
	e.out = append(e.out, ':')
	e.value(v, n)
}

func (e *encoder) list(v []any, n *node) {
	var below *node
	if n != nil {
		below = n.items
	}
	e.out = append(e.out, '[')
	for i, item := range v {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.value(item, below)
	}
	e.out = append(e.out, ']')
}

func (e *encoder) number(text string) {
	if e.exact {
		text = exactNumber(text)
	}
	e.out = append(e.out, text...)
}

// other writes what is no decoded JSON value: what a host put in by hand.
func (e *encoder) other(v any) {
	text, err := encodeJSON(v)
	if err != nil {
		text = []byte("null")
	}
	e.out = append(e.out, text...)
}

// exactNumber is the one form of a JSON number: digits without needless zeros, a point where the number is between
// 1e-40 and 1e40, else an exponent behind an integer.
func exactNumber(text string) string {
	digits, exponent, negative := decimal(text)
	if digits == "" {
		return "0"
	}
	sign := ""
	if negative {
		sign = "-"
	}
	const plain = 40
	point := len(digits) + exponent // where the point stands, counted from the left
	switch {
	case exponent >= 0 && point <= plain:
		return sign + digits + strings.Repeat("0", exponent)
	case exponent < 0 && point > 0:
		return sign + digits[:point] + "." + digits[point:]
	case exponent < 0 && point > -plain:
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
	return sign + digits + "e" + strconv.Itoa(exponent)
}

// decimal splits a JSON number: value = digits × 10^exponent, without zeros at either end. No digits
// means zero.
func decimal(text string) (digits string, exponent int, negative bool) {
	text, negative = strings.CutPrefix(text, "-")
	mantissa, power := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, power = text[:i], text[i+1:]
	}
	exponent, _ = strconv.Atoi(power) // bounded where the number was read
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	return short, exponent, negative
}

const hexDigits = "0123456789abcdef"

// appendText appends a JSON text with as few escapes as JSON allows.
func appendText(out []byte, s string) []byte {
	out = append(out, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out = append(out, s[start:i]...)
		switch c := s[i]; c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case '\t':
			out = append(out, '\\', 't')
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		start = i + 1
	}
	out = append(out, s[start:]...)
	return append(out, '"')
}

// encodeJSON is encoding/json without the escapes for HTML.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
