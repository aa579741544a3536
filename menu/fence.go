package menu

import "strings"

// fence is a fence that may hold JSON and is open at the moment.
type fence struct {
	open     bool
	char     byte
	length   int
	standing standing // of the fence itself
}

// dataFences are the languages of fences that may hold a pick.
var dataFences = set("json jsonc json5 jsonl")

// ticks handles runs of backticks and tildes. Three and more are a fence.
func (s *scanner) ticks() {
	char := s.text[s.pos]
	n := 1
	for s.pos+n < len(s.text) && s.text[s.pos+n] == char {
		n++
	}
	before := s.text[s.lineStart(s.pos):s.pos]
	first := strings.Trim(before, " \t>") == ""
	if n < 3 || char == '~' && !first {
		s.pass(n)
		return
	}
	line, _, _ := strings.Cut(s.text[s.pos+n:], "\n")
	if s.fence.open && char == s.fence.char && n >= s.fence.length && (!first || isBlank(line)) {
		s.fence = fence{}
		s.skip(s.pos+n, stands, false)
		return
	}
	language := line[:languageEnd(line)]
	st := s.standing(s.pos)
	if lower := strings.ToLower(strings.TrimSpace(language)); lower != "" && !dataFences[lower] {
		s.foreign(n, char, st)
		return
	}
	s.fence = fence{true, char, n, st}
	s.skip(s.pos+n+len(language), st, true)
}

// languageEnd is where the word behind a fence mark ends.
func languageEnd(line string) int {
	start := len(line) - len(strings.TrimLeft(line, " "))
	if end := strings.IndexAny(line[start:], " \t\r{[`"); end >= 0 {
		return start + end
	}
	return len(line)
}

// foreign skips a fence that holds something else than JSON: what stands in it is quoted.
func (s *scanner) foreign(n int, char byte, st standing) {
	end := fenceEnd(s.text, s.pos+n, char, n)
	if inside := s.text[s.pos:end]; strings.IndexByte(inside, '{') >= 0 && saysCall(inside) {
		s.choice.quotes = true
	}
	s.skip(end, st, false)
}

// fenceEnd is where the fence that opened before from is closed: on the same line, or by a line
// of nothing else. Without such a line it holds all the rest.
func fenceEnd(text string, from int, char byte, n int) int {
	mark := strings.Repeat(string(char), n)
	line, _, _ := strings.Cut(text[from:], "\n")
	if i := strings.Index(line, mark); i >= 0 {
		return from + i + n
	}
	for at := from + len(line) + 1; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		inside := strings.Trim(line, " \t\r>")
		if len(inside) >= n && strings.Trim(inside, string(char)) == "" {
			return at + len(line)
		}
		at += len(line) + 1
	}
	return len(text)
}
