package registry

import "encoding/json"

// ParseParams reads an ordered object of named shapes, {"order_id": "string", "note?": {...}}, the
// schema language of the configuration file. The error is a *ShapeError, or several joined.
func ParseParams(raw json.RawMessage) ([]Param, error) { panic("not written yet") }

// ShapeError says where a shape is wrong and what to write instead.
type ShapeError struct {
	Path    []string // keys from the outside in; list positions as "0"
	Message string
	Fix     string
}

func (e *ShapeError) Error() string { panic("not written yet") }
