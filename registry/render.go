package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/validate"
)

// rendering is the value of a run as a client gets it.
type rendering struct {
	content    []Block
	structured json.RawMessage
	cut        int
}

// render makes content of what Run returned, and checks it against the declared result.
func (m *Method) render(value any) (rendering, error) {
	content, err := contentOf(value)
	if err != nil {
		return rendering{}, err
	}
	r := rendering{}
	if m.made.outputChecker != nil {
		if r.structured, err = m.structured(value, content); err != nil {
			return rendering{}, err
		}
	}
	r.content, r.cut = capped(content, m.ResultCap)
	if r.cut > 0 && r.structured != nil {
		// Clients refuse a result without the structure that was declared, and half of it is none.
		return rendering{}, fmt.Errorf("its result has %d characters more than the %d that it may have, and can't be cut since it declares its form",
			r.cut, m.ResultCap)
	}
	return r, nil
}

// contentOf is a value as content blocks.
func contentOf(value any) ([]Block, error) {
	switch v := value.(type) {
	case nil:
		return []Block{Text("")}, nil
	case string:
		return []Block{Text(sound(v))}, nil
	case json.RawMessage:
		if len(v) > 0 && !json.Valid(v) {
			return nil, errors.New("its result is marked as JSON and is not")
		}
		return []Block{Text(sound(string(v)))}, nil
	case Block:
		return contentOf([]Block{v})
	case []Block:
		content := make([]Block, len(v))
		for i, b := range v {
			if err := b.check(); err != nil {
				return nil, fmt.Errorf("block %d of its result: %w", i+1, err)
			}
			content[i] = b.sound()
		}
		return content, nil
	}
	text, err := encodeJSON(value)
	if err != nil {
		return nil, fmt.Errorf("its result can't be written as JSON: %w", err)
	}
	return []Block{Text(sound(string(text)))}, nil
}

// sound is the text in valid UTF-8, as the wire needs it.
func sound(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// structured is the value as the object that the method declares. Clients refuse a result that is none or
// another, so it is a failure here.
func (m *Method) structured(value any, content []Block) (json.RawMessage, error) {
	switch value.(type) {
	case nil, string, Block, []Block:
		return nil, errors.New("its result is not the object that it declares")
	}
	text := json.RawMessage(content[0].Text)
	v, err := validate.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("its result is not what it declares: %w", err)
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, errors.New("its result is not the object that it declares")
	}
	if problems := m.made.outputChecker.Check("result", v); len(problems) > 0 {
		return nil, fmt.Errorf("its result is not what it declares: %w", validate.NewError("", problems...))
	}
	return text, nil
}
