package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-decide/mcp-decide/menu"
)

// replyLine is one line of input. Its values are read one by one, so that a fault in one has a name.
type replyLine struct {
	ID    jsontext.Value `json:"id"`
	Menu  jsontext.Value `json:"menu"`
	Reply jsontext.Value `json:"reply"`
	Parts jsontext.Value `json:"parts"`
	Mode  jsontext.Value `json:"mode"`
	Cut   jsontext.Value `json:"cut"`
}

// asText lets half a surrogate pair and stray bytes be read as U+FFFD: a line is never lost for them.
var asText = jsontext.AllowInvalidUTF8(true)

func (menus menuSet) parse(line []byte, read replyReader) parsed {
	bad := func(format string, args ...any) parsed {
		return parsed{ID: lineID(line), Error: "bad_input", Message: fmt.Sprintf(format, args...)}
	}
	var in replyLine
	if err := json.Unmarshal(line, &in, asText); err != nil {
		return bad("the line is not a JSON object with id, menu and reply: %s", misread(err))
	}
	if jsontext.Value(line).Kind() != '{' {
		return bad("the line is not a JSON object with id, menu and reply")
	}
	id := lineID(line)
	if in.ID != nil && id == nil {
		return bad("id is neither a text nor a number")
	}
	name, err := textOf("menu", in.Menu)
	if err != nil {
		return bad("%v", err)
	}
	offered, ok := menus[name]
	if !ok {
		return bad("there is no menu %q", name)
	}
	mode := "strict"
	if in.Mode != nil && in.Mode.Kind() != 'n' {
		if mode, err = textOf("mode", in.Mode); err != nil {
			return bad("%v", err)
		}
	}
	if mode != "strict" && mode != "lenient" {
		return bad("mode is %q; it is strict or lenient", mode)
	}
	cut := in.Cut.Kind() == 't'
	if !cut && in.Cut != nil && in.Cut.Kind() != 'f' && in.Cut.Kind() != 'n' {
		return bad("cut is neither true nor false")
	}
	reply, err := in.text()
	if err != nil {
		return bad("%v", err)
	}
	return read(id, reply, offered, menu.Reading{Lenient: mode == "lenient", Cut: cut})
}

// lineID is the id of a line, as far as the line can be read: a text, a number, true, false or null, as it was
// given; nil when there is none.
func lineID(line []byte) []byte {
	d := jsontext.NewDecoder(bytes.NewReader(line), asText)
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return nil
	}
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return nil
		}
		if key.String() != "id" {
			if d.SkipValue() != nil {
				return nil
			}
			continue
		}
		switch d.PeekKind() {
		case '"':
			var id string
			if json.UnmarshalDecode(d, &id) != nil {
				return nil
			}
			quoted, _ := encode(id)
			return quoted
		case '0', 't', 'f', 'n':
			id, err := d.ReadValue()
			if err != nil {
				return nil
			}
			return bytes.Clone(id)
		}
		return nil
	}
	return nil
}

// text is the reply: given whole, or as parts that are repeated.
func (l *replyLine) text() (string, error) {
	whole, inParts := l.Reply != nil && l.Reply.Kind() != 'n', l.Parts != nil && l.Parts.Kind() != 'n'
	if whole == inParts {
		return "", errors.New("a line has either reply or parts")
	}
	var b strings.Builder
	if whole {
		reply, err := textOf("reply", l.Reply)
		if err == nil && len(reply) > maxInput {
			err = errLongReply
		}
		return reply, err
	}
	var parts []jsontext.Value
	if err := json.Unmarshal(l.Parts, &parts, asText); err != nil {
		return "", errors.New("parts is not a list of [text, times]")
	}
	for i, raw := range parts {
		piece, times, err := part(raw)
		if err != nil {
			return "", fmt.Errorf("parts[%d] is not [text, times]", i)
		}
		if len(piece) == 0 {
			continue
		}
		if times > uint64((maxInput-b.Len())/len(piece)) {
			return "", errLongReply
		}
		b.WriteString(strings.Repeat(piece, int(times)))
	}
	return b.String(), nil
}

var errLongReply = fmt.Errorf("the reply is longer than %d bytes", maxInput)

func part(raw jsontext.Value) (piece string, times uint64, err error) {
	var pair []jsontext.Value
	if err := json.Unmarshal(raw, &pair, asText); err != nil {
		return "", 0, err
	}
	if len(pair) != 2 {
		return "", 0, errors.New("not two values")
	}
	if piece, err = textOf("", pair[0]); err != nil {
		return "", 0, err
	}
	times, err = strconv.ParseUint(string(pair[1]), 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // times is the greatest number then, and the reply too long
	}
	return piece, times, err
}

func textOf(key string, v jsontext.Value) (string, error) {
	if v == nil {
		return "", fmt.Errorf("%s is missing", key)
	}
	var s string
	if v.Kind() != '"' {
		return "", fmt.Errorf("%s is not a text", key)
	}
	err := json.Unmarshal(v, &s, asText)
	return s, err
}

// misread says what the JSON reader found, without the names of Go.
func misread(err error) string {
	var shape *json.SemanticError
	var form *jsontext.SyntacticError
	switch {
	case errors.As(err, &form):
		return fmt.Sprintf("at byte %d: %v", form.ByteOffset, form.Err)
	case errors.As(err, &shape) && shape.JSONPointer == "":
		return "it is of another kind"
	case errors.As(err, &shape):
		return fmt.Sprintf("the value at %s is of another kind", shape.JSONPointer)
	}
	return err.Error()
}
