package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// valueOfType brings a listed value to the type, when that is exact: the text "5" is the integer 5, the
// number 5 the text "5".
func valueOfType(t Type, v json.RawMessage) (json.RawMessage, error) {
	value := jsontext.Value(bytes.Clone(v))
	if err := value.Compact(); err != nil {
		return nil, fmt.Errorf("%s: %w", show(v), err)
	}
	is := typeOfValue(json.RawMessage(value))
	switch {
	case t == Integer && is == Integer && !isIntegerText(string(value)):
		return nil, fmt.Errorf("%s is not within 64 bits", show(v))
	case t == Any || is == t && t != String:
		return json.RawMessage(value), nil
	case t == Number && is == Integer:
		return json.RawMessage(value), nil
	case is == String:
		return fromText(t, value)
	case t == String && (is == Integer || is == Number || is == Boolean):
		return json.RawMessage(`"` + string(value) + `"`), nil
	}
	return nil, fmt.Errorf("%s is not %s", show(v), t.noun())
}

// fromText reads a value out of a text that holds its exact JSON form.
func fromText(t Type, quoted jsontext.Value) (json.RawMessage, error) {
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return nil, err
	}
	inner := jsontext.Value(text)
	switch {
	case t == String:
		plain, err := jsontext.AppendQuote(nil, text)
		return json.RawMessage(plain), err
	case t == Integer && isIntegerText(text),
		t == Number && inner.Kind() == '0' && inner.IsValid(),
		t == Boolean && (text == "true" || text == "false"):
		return json.RawMessage(bytes.TrimSpace(inner)), nil
	}
	return nil, fmt.Errorf("%s is not %s", show(json.RawMessage(quoted)), t.noun())
}

// isIntegerText reports whether text is an integer within 64 bits, signed, as JSON writes it.
func isIntegerText(text string) bool {
	i, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(i, 10) == text
}

// typeOfAll is the one type of all values: integers among numbers are numbers, null counts for none.
func typeOfAll(values []json.RawMessage) Type {
	found := Any
	for _, v := range values {
		t := typeOfValue(v)
		switch {
		case t == Any || t == found:
		case found == Any:
			found = t
		case found == Number && t == Integer:
		case found == Integer && t == Number:
			found = Number
		default:
			return Any
		}
	}
	return found
}

// noun is the type with its article, for error texts.
func (t Type) noun() string {
	switch t {
	case Any:
		return "any value"
	case Integer, Array, Object:
		return "an " + string(t)
	}
	return "a " + string(t)
}
