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

// Errors are all problems of one file, by position; never more than 1,000, and a last one that counts the others.
type Errors []Problem

// Error is one problem a line: file:line:col: key: message. Fix
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems is how many problems of one file are kept, and how many warnings; a person reads the first few.
const maxProblems = 1000

// report collects what is found in one file.
type report struct {
	file     string
	errors   Errors
	warnings []Problem
	left     int // errors beyond maxProblems
	unwarned int // warnings beyond maxProblems
}

func (r *report) fail(pos Pos, key, message, fix string) {
	if len(r.errors) >= maxProblems {
		r.left++
		return
	}
	r.errors = append(r.errors, r.problem(pos, key, message, fix))
}

// problem is on one line, whatever pieces of the file stand in it: nothing in it can act on a terminal.
func (r *report) problem(pos Pos, key, message, fix string) Problem {
	return Problem{File: r.file, Pos: pos, Key: shown(key), Message: shown(message), Fix: shown(fix)}
}

// shown writes characters that can't be seen as escapes.
func shown(s string) string {
	if !strings.ContainsFunc(s, hides) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hides(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hides(r rune) bool { return !strconv.IsPrint(r) }

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
		r.unwarned++
		return
	}
	r.warnings = append(r.warnings, r.problem(pos, key, message, fix))
}

// err is all errors in the order of the file, nil when there are none.
func (r *report) err() error {
	if len(r.errors) == 0 {
		return nil
	}
	r.errors = r.told(r.errors, r.left, "problems")
	return r.errors
}

// doubts are all warnings in the order of the file.
func (r *report) doubts() []Problem { return r.told(r.warnings, r.unwarned, "warnings") }

// told is a list in the order of the file, with a last line that counts those that are not kept.
func (r *report) told(list []Problem, left int, what string) []Problem {
	sortProblems(list)
	if left == 0 {
		return list
	}
	return append(list, Problem{File: r.file, Pos: list[len(list)-1].Pos, Message: fmt.Sprintf("%d more %s", left, what), Fix: "Mend these first"})
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
