package validate

import (
	"fmt"
	"strings"
)

// SchemaError says why a schema can't be used: everything that is wrong with it.
type SchemaError struct {
	Faults []Fault // at least one, at most 20
}

// Fault is one thing that is wrong with a schema.
type Fault struct {
	Pointer string // JSON Pointer of the place; "" = the whole schema
	Message string // what is wrong
	Fix     string // what to write instead; may be empty
}

const maxFaults = 20

// Error is all faults in one line.
func (e *SchemaError) Error() string {
	parts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		parts[i] = f.String()
	}
	return "schema " + strings.Join(parts, "; ")
}

// String is the place, what is wrong there, and what to do.
func (f Fault) String() string {
	text := f.Message
	if f.Fix != "" {
		text += " (" + f.Fix + ")"
	}
	if f.Pointer == "" {
		return "at the top: " + text
	}
	return "at " + printable(cut(f.Pointer, 300)) + ": " + text
}

// faults collects what is wrong while a schema is read.
type faults []Fault

func (fs *faults) add(pointer, fix, format string, args ...any) {
	if len(*fs) < maxFaults {
		*fs = append(*fs, Fault{Pointer: pointer, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
}

func (fs faults) err() error {
	if len(fs) == 0 {
		return nil
	}
	return &SchemaError{Faults: fs}
}
