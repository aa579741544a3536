package menu

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// making says how the text that the places of steps are of was made of the reply: each change was one of those that the
// reader makes before it reads.
type making int

const (
	givenText   making = iota
	trimmedText        // without what does not show at its start
	openedText         // and with a first brace
	decodedText        // the inside of a JSON text
)

// undressed notes what was undone to the reply as a whole.
func (e *explanation) undressed(took liberties) {
	if e == nil || len(took) == 0 {
		return
	}
	e.made = openedText
	if took[0] == Escaped {
		e.made = decodedText
	}
}

// madeBy says how the text was made that the places are of.
func (e *explanation) madeBy(m making) {
	if e != nil {
		e.made = m
	}
}

// length is the length of the text, in bytes of it.
func (m making) length(reply string) int {
	return len(reply) * utf8.UTFMax // never shorter, and restore stops at the end
}

// restore moves the places of steps, which are in order, to the reply as it was given.
func (m making) restore(reply string, steps []Step) {
	valid := reply
	if !utf8.ValidString(reply) {
		valid = strings.ToValidUTF8(reply, "\ufffd")
	}
	lead := len(valid) - len(trimUnseenLeft(valid))
	switch m {
	case trimmedText:
		moved(steps, func(at int) int { return min(lead+at, len(valid)) })
	case openedText:
		moved(steps, func(at int) int { return min(lead+max(0, at-1), len(valid)) })
	case decodedText:
		inside := piecewise{text: valid, at: lead, next: escapePiece}
		if strings.HasPrefix(valid[lead:], `"`) {
			inside = piecewise{text: valid[:lead+len(trimUnseen(valid))-1], at: lead + 1, next: escapePiece}
		}
		moved(steps, inside.place)
	}
	if !utf8.ValidString(reply) {
		bytes := piecewise{text: reply, next: invalidPiece}
		moved(steps, bytes.place)
	}
	moved(steps, func(at int) int { return min(at, len(reply)) })
}

func moved(steps []Step, to func(int) int) {
	for i := range steps {
		steps[i].From = to(steps[i].From)
		steps[i].To = to(steps[i].To)
	}
}

// piecewise finds places of a text that was made of another one piece by piece. The places have to be asked for in order.
type piecewise struct {
	text string // the other one
	at   int    // bytes of it that were gone over
	made int    // bytes that were made of those
	next func(rest string) (was, is int)
}

func (p *piecewise) place(made int) int {
	for p.made < made && p.at < len(p.text) {
		was, is := p.next(p.text[p.at:])
		if p.made+is > made {
			break
		}
		p.at += was
		p.made += is
	}
	return p.at
}

// invalidPiece is one character, or a run of bytes that are none and became U+FFFD.
func invalidPiece(rest string) (was, is int) {
	for {
		r, n := utf8.DecodeRuneInString(rest[was:])
		if r != utf8.RuneError || n != 1 {
			if was == 0 {
				return n, n
			}
			return was, len("\ufffd")
		}
		was++
	}
}

// escapePiece is one byte, or an escape of a JSON text and the length of what it means.
func escapePiece(rest string) (was, is int) {
	switch {
	case rest[0] != '\\' || len(rest) == 1:
		return 1, 1
	case rest[1] != 'u' || len(rest) < 6:
		return 2, 1
	}
	r := hexRune(rest)
	switch {
	case isPair(r, rest[6:]):
		return 12, 4
	case utf16.IsSurrogate(r):
		return 6, len("\ufffd")
	}
	return 6, utf8.RuneLen(r)
}
