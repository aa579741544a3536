package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Problem is one thing that is wrong, or doubtful, in a file.
type Problem struct {
	File    string
	Pos     Pos
	Key     string // methods.lookup_order.params.order_id
	Message string // what is wrong
	Fix     string // what to do; the nearest key, the form to write
}

// String is the problem in one line: file:line:col: key: message. Fix
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(cmp.Or(p.File, "config"))
	if p.Pos.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Pos.Line, p.Pos.Col)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Message)
	if p.Fix != "" {
		b.WriteString(". " + p.Fix)
	}
	return b.String()
}

// Errors are all problems of one file, by position; never more than 1,000.
type Errors []Problem

// Error is one problem a line: file:line:col: key: message. Fix
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems is how many problems of one file are kept; a person reads the first few.
const maxProblems = 1000

// report collects what is found in one file.
type report struct {
	file     string
	errors   Errors
	warnings []Problem
	left     int // errors beyond maxProblems
}

func (r *report) fail(pos Pos, key, message, fix string) {
	if len(r.errors) >= maxProblems {
		r.left++
		return
	}
	r.errors = append(r.errors, Problem{File: r.file, Pos: pos, Key: key, Message: message, Fix: fix})
}

// said counts the errors.
func (r *report) said() int { return len(r.errors) + r.left }

// full reports whether so much is said that more would not be kept.
func (r *report) full() bool {
	if len(r.errors) < maxProblems {
		return false
	}
	r.left++
	return true
}

func (r *report) warn(pos Pos, key, message, fix string) {
	if len(r.warnings) >= maxProblems {
		return
	}
	r.warnings = append(r.warnings, Problem{File: r.file, Pos: pos, Key: key, Message: message, Fix: fix})
}

// err is all errors in the order of the file, nil when there are none.
func (r *report) err() error {
	if len(r.errors) == 0 {
		return nil
	}
	sortProblems(r.errors)
	if r.left > 0 {
		last := r.errors[len(r.errors)-1]
		r.errors = append(r.errors, Problem{File: r.file, Pos: last.Pos,
			Message: fmt.Sprintf("%d more problems", r.left), Fix: "Mend these first"})
	}
	return r.errors
}

func sortProblems(list []Problem) {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
}

// String is line:col.
func (p Pos) String() string { return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col) }

// quote shows a piece of the file on one line: cut at 40 characters, nothing in it can act on a terminal.
func quote(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s[:min(len(s), most*utf8.UTFMax)])[:most-1]) + "…"
	}
	return strconv.Quote(s)
}

// join names things in a sentence: a, b or c.
func join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}
