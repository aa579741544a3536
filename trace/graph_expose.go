package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Expose is what the callers of a method see of its run.
type Expose string

// What callers see. None of it takes away from what the method's own model calls see of that run.
const (
	ExposeIO     Expose = "io"     // its call, and the calls it makes, but no model call
	ExposeLLM    Expose = "llm"    // its model calls, but neither its call nor those it makes
	ExposeFull   Expose = "full"   // all
	ExposeHidden Expose = "hidden" // nothing of it; what it calls counts as called by its caller
)

// DefaultExpose is what callers see when nothing is said: of a tool, which models call, its call; of another method all.
func DefaultExpose(tool bool) Expose {
	if tool {
		return ExposeIO
	}
	return ExposeFull
}

// ParseExpose reads the value of the key expose.
func ParseExpose(word string) (Expose, error) {
	switch e := Expose(word); e {
	case ExposeIO, ExposeLLM, ExposeFull, ExposeHidden:
		return e, nil
	}
	return "", fmt.Errorf("expose is %.64q; it is one of io, llm, full, hidden", word)
}

// Range is how much of what happened a method's own model calls see, counted in nodes that they may see at all. nil is
// all.
type Range struct {
	Callers  *int `json:"callers,omitempty"`  // the last ones up to the method's own node, which is one of them; 0 or less = none
	Subcalls *int `json:"subcalls,omitempty"` // the last ones since; -1 = all
}

// ParseRange reads the value of the key render_range, a JSON object. An unknown key is an error, since a wall that is
// misspelt would be none.
func ParseRange(raw []byte) (Range, error) {
	var r Range
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return r, errors.New("render_range is no object; it looks like {\"callers\": 2, \"subcalls\": -1}")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return Range{}, fmt.Errorf("render_range: %w", err)
		}
		key, _ := t.(string)
		if seen[key] {
			return Range{}, fmt.Errorf("render_range: %q is given twice", key)
		}
		seen[key] = true
		if err := r.set(key, d); err != nil {
			return Range{}, fmt.Errorf("render_range: %w", err)
		}
	}
	if _, err := d.Token(); err != nil {
		return Range{}, fmt.Errorf("render_range: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Range{}, errors.New("render_range: there is more behind the object")
	}
	return r, nil
}

func (r *Range) set(key string, d *json.Decoder) error {
	if key != "callers" && key != "subcalls" {
		return fmt.Errorf("unknown key %.64q; the keys are callers and subcalls", key)
	}
	t, err := d.Token()
	if err != nil {
		return err
	}
	if t == nil {
		return nil
	}
	number, _ := t.(json.Number)
	n, err := strconv.Atoi(number.String())
	if err != nil {
		return fmt.Errorf("%s is no whole number; write one, or null for all", key)
	}
	if key == "callers" {
		r.Callers = &n
		return nil
	}
	if n < -1 {
		return errSubcalls(n)
	}
	r.Subcalls = &n
	return nil
}

// UnmarshalJSON is ParseRange.
func (r *Range) UnmarshalJSON(raw []byte) error {
	read, err := ParseRange(raw)
	*r = read
	return err
}

// Check says what is wrong with a Range that was not read by ParseRange. nil is all right.
func (r *Range) Check() error {
	if r != nil && r.Subcalls != nil && *r.Subcalls < -1 {
		return errSubcalls(*r.Subcalls)
	}
	return nil
}

func errSubcalls(n int) error {
	return fmt.Errorf("subcalls is %d; it is 0 or more, or -1 for all", n)
}

// Clone shares nothing with r. Of nil it is nil.
func (r *Range) Clone() *Range {
	if r == nil {
		return nil
	}
	c := Range{}
	if r.Callers != nil {
		c.Callers = new(*r.Callers)
	}
	if r.Subcalls != nil {
		c.Subcalls = new(*r.Subcalls)
	}
	return &c
}

// callers is how many of n nodes up to the method's own are seen.
func (r *Range) callers(n int) int {
	if r == nil || r.Callers == nil {
		return n
	}
	return max(0, min(n, *r.Callers))
}

// subcalls is how many of n nodes since the method's own are seen.
func (r *Range) subcalls(n int) int {
	if r == nil || r.Subcalls == nil || *r.Subcalls < 0 {
		return n
	}
	return min(n, *r.Subcalls)
}
