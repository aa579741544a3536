package validate

import (
	"encoding/json"
	"unicode/utf8"
)

// scan reads the JSON that is common: no half surrogates, nothing wrong. Not ok means
// that the strict reader has to look, and only its word counts against a text. What scan
// reads, the strict reader reads as the same value (a fuzz test holds the two together).
func scan(raw []byte) (v any, ok bool) {
	s := scanner{in: raw}
	v, ok = s.value(1)
	s.blanks()
	return v, ok && s.at == len(raw)
}

type scanner struct {
	in []byte
	at int
}

func (s *scanner) blanks() {
	for s.at < len(s.in) {
		switch s.in[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// next skips blanks and tells the byte that follows, 0 at the end.
func (s *scanner) next() byte {
	s.blanks()
	if s.at == len(s.in) {
		return 0
	}
	return s.in[s.at]
}

func (s *scanner) value(depth int) (any, bool) {
	switch c := s.next(); {
	case c == '"':
		text, ok := s.text()
		return text, ok
	case c == '{' && depth <= maxDepth:
		return s.object(depth)
	case c == '[' && depth <= maxDepth:
		return s.list(depth)
	case c == 't':
		return true, s.word("true")
	case c == 'f':
		return false, s.word("false")
	case c == 'n':
		return nil, s.word("null")
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	}
	return nil, false
}

func (s *scanner) word(w string) bool {
	if len(s.in)-s.at < len(w) || string(s.in[s.at:s.at+len(w)]) != w {
		return false
	}
	s.at += len(w)
	return true
}

func (s *scanner) list(depth int) (any, bool) {
	list := []any{}
	s.at++
	if s.next() == ']' {
		s.at++
		return list, true
	}
	for {
		v, ok := s.value(depth + 1)
		if !ok {
			return nil, false
		}
		list = append(list, v)
		c := s.next()
		s.at++
		if c == ']' {
			return list, true
		}
		if c != ',' {
			return nil, false
		}
	}
}

func (s *scanner) object(depth int) (any, bool) {
	object := map[string]any{}
	s.at++
	if s.next() == '}' {
		s.at++
		return object, true
	}
	for n := 1; ; n++ {
		if s.next() != '"' {
			return nil, false
		}
		key, ok := s.text()
		if !ok || s.next() != ':' {
			return nil, false
		}
		s.at++
		v, ok := s.value(depth + 1)
		if !ok {
			return nil, false
		}
		object[key] = v
		c := s.next()
		s.at++
		if len(object) < n {
			return nil, false // the key stood there before
		}
		if c == '}' {
			return object, true
		}
		if c != ',' {
			return nil, false
		}
	}
}

// text reads a string that starts here.
func (s *scanner) text() (string, bool) {
	s.at++
	start := s.at
	for s.at < len(s.in) {
		c := s.in[s.at]
		switch {
		case c == '"':
			text := string(s.in[start:s.at])
			s.at++
			return text, true
		case c == '\\':
			return s.escapedText(start)
		case c < ' ':
			return "", false
		case c < utf8.RuneSelf:
			s.at++
		default:
			r, n := utf8.DecodeRune(s.in[s.at:])
			if r == utf8.RuneError && n == 1 {
				return "", false
			}
			s.at += n
		}
	}
	return "", false
}

// escapedText goes on with a string at its first escape.
func (s *scanner) escapedText(start int) (string, bool) {
	text := append([]byte(nil), s.in[start:s.at]...)
	for s.at < len(s.in) {
		c := s.in[s.at]
		switch {
		case c == '"':
			s.at++
			return string(text), true
		case c == '\\':
			r, ok := s.escape()
			if !ok {
				return "", false
			}
			text = utf8.AppendRune(text, r)
		case c < ' ':
			return "", false
		default:
			r, n := utf8.DecodeRune(s.in[s.at:])
			if r == utf8.RuneError && n == 1 {
				return "", false
			}
			text = append(text, s.in[s.at:s.at+n]...)
			s.at += n
		}
	}
	return "", false
}

// escape reads one escape. Half surrogates are left to the strict reader, pairs too.
func (s *scanner) escape() (rune, bool) {
	if len(s.in)-s.at < 2 {
		return 0, false
	}
	c := s.in[s.at+1]
	s.at += 2
	switch c {
	case '"', '\\', '/':
		return rune(c), true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'u':
		return s.unicodeEscape()
	}
	return 0, false
}

func (s *scanner) unicodeEscape() (rune, bool) {
	if len(s.in)-s.at < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s.in[s.at : s.at+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	s.at += 4
	return r, r < 0xd800 || r > 0xdfff
}

// number reads a JSON number within the limits.
func (s *scanner) number() (any, bool) {
	start := s.at
	if s.in[s.at] == '-' {
		s.at++
	}
	zero := s.at < len(s.in) && s.in[s.at] == '0'
	if n := s.digits(); n == 0 || zero && n > 1 {
		return nil, false
	}
	if s.at < len(s.in) && s.in[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return nil, false
		}
	}
	if s.at < len(s.in) && s.in[s.at]|0x20 == 'e' {
		s.at++
		if s.at < len(s.in) && (s.in[s.at] == '+' || s.in[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return nil, false
		}
	}
	if s.at-start > maxNumberText {
		return nil, false
	}
	text := string(s.in[start:s.at])
	return json.Number(text), numberFault(text) == ""
}

func (s *scanner) digits() int {
	start := s.at
	for s.at < len(s.in) && '0' <= s.in[s.at] && s.in[s.at] <= '9' {
		s.at++
	}
	return s.at - start
}
