package golden

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Shape turns a raw shape of the files into one of our schema language, keys in the same order:
// {"$type": "str"} is the type name "str", {"$null": true} is null. Tuples and functions
// are syntax of the original's language and have no shape of ours: they are errors.
func Shape(raw json.RawMessage) (json.RawMessage, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	var out bytes.Buffer
	if err := shape(d, &out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func shape(d *jsontext.Decoder, out *bytes.Buffer) error {
	switch d.PeekKind() {
	case '{':
		return object(d, out)
	case '[':
		return list(d, out)
	}
	value, err := d.ReadValue()
	out.Write(value)
	return err
}

func list(d *jsontext.Decoder, out *bytes.Buffer) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	out.WriteByte('[')
	for i := 0; d.PeekKind() != ']'; i++ {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := shape(d, out); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	_, err := d.ReadToken()
	return err
}

func object(d *jsontext.Decoder, out *bytes.Buffer) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	start := out.Len()
	out.WriteByte('{')
	for i := 0; d.PeekKind() != '}'; i++ {
		key, err := d.ReadValue()
		if err != nil {
			return err
		}
		switch string(key) {
		case `"$type"`, `"$null"`:
			out.Truncate(start)
			return special(d, out)
		case `"$tuple"`, `"$fn"`:
			return fmt.Errorf("%s is no shape", key)
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		if err := shape(d, out); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	_, err := d.ReadToken()
	return err
}

// special reads the value of $type or $null and the end of its object.
func special(d *jsontext.Decoder, out *bytes.Buffer) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	if value.Kind() == 't' {
		value = jsontext.Value("null")
	}
	out.Write(value)
	_, err = d.ReadToken()
	return err
}
