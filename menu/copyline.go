package menu

import "strings"

// isSignature reports whether the line that a place stands on is the first one of an option in the menu, in any style. The types in it
// can look like an object that is damaged.
func (s *scanner) isSignature(at int) bool {
	line := strings.TrimRight(s.text[s.lineStart(at):s.lineEnd(at)], " \t\r")
	name := line[:nameLength(line)]
	if name == "" || !strings.HasPrefix(line[len(name):], "(") {
		return false
	}
	o := s.read.find(name)
	if o == nil {
		return false
	}
	if s.read.signatures == nil {
		s.read.signatures = make(map[string][2]string)
	}
	lines, ok := s.read.signatures[name]
	if !ok {
		classic, _, _ := strings.Cut(string(appendClassic(nil, o)), "\n")
		lines = [2]string{string(appendSignature(nil, o)), classic}
		s.read.signatures[name] = lines
	}
	return line == lines[0] || line == lines[1]
}

// copiedSignature goes over such a line.
func (s *scanner) copiedSignature() {
	end := s.lineEnd(s.pos)
	s.note(Copy, s.lineStart(s.pos), end, "the first line of an option in the menu")
	s.choice.several = true
	s.skip(end, stands, false)
}
