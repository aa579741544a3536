package server

import (
	"bytes"
	"encoding/json"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

// How long an id may be, in bytes. A number that is longer is beyond what the SDK reads as one.
const (
	maxID     = 512
	maxNumber = 300
)

// requestID is the id of a request. Two ids are the same when key is: "7" and 7 are not.
type requestID struct {
	key string          // "" = no id
	raw json.RawMessage // as it was written; goes back byte for byte
}

var (
	integerID = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	lastID    = regexp.MustCompile(`[,{]\s*"id"\s*:\s*(-?[0-9]+|"[^"\\]*")\s*}\s*$`)
)

// readID reads an id: a text, or an integer of up to 300 characters.
func readID(raw []byte) (requestID, error) {
	if len(raw) > maxID {
		return requestID{}, newFault(codeInvalidRequest, "invalid request: the id is longer than 512 bytes")
	}
	raw = bytes.Clone(raw)
	if raw[0] == '"' {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return requestID{}, newFault(codeInvalidRequest, "invalid request: the id is not readable")
		}
		return requestID{key: "s" + text, raw: raw}, nil
	}
	if !integerID.Match(raw) {
		return requestID{}, newFault(codeInvalidRequest, "invalid request: an id is a text or an integer")
	}
	if len(raw) > maxNumber {
		return requestID{}, newFault(codeInvalidRequest, "invalid request: the id is a number of more than 300 characters")
	}
	if bytes.Equal(raw, []byte("-0")) {
		return requestID{key: "n0", raw: raw}, nil
	}
	return requestID{key: "n" + string(raw), raw: raw}, nil
}

// idIn looks for the id in a message that could not be read, so that its sender learns which one it was. It is
// nil when none can be seen, or when there are several.
func idIn(line []byte) json.RawMessage {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	var found json.RawMessage
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return found
		}
		if name.String() != "id" {
			if d.SkipValue() != nil {
				return found
			}
			continue
		}
		raw, err := d.ReadValue()
		if err != nil {
			return found
		}
		id, err := readID(raw)
		if err != nil || found != nil {
			return nil
		}
		found = id.raw
	}
	return found
}

// id looks for the id at both ends of a message that was too long to keep.
func (l *tooLong) id() json.RawMessage {
	if id := idIn(l.head); id != nil {
		return id
	}
	if at := lastID.FindSubmatch(l.tail); at != nil && len(at[1]) <= maxID {
		return bytes.Clone(at[1])
	}
	return nil
}
