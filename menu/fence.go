package menu

import "strings"

// fence is a fence that may hold JSON and is open at the moment.
type fence struct {
	open     bool
	char     byte
	length   int
	standing standing // of the fence itself
	from     int      // where its inside starts
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
	first := len(before) < maxIndent && strings.Trim(before, " \t>") == ""
	if n < 3 || char == '~' && !first {
		s.pass(n)
		return
	}
	if s.fence.open && char == s.fence.char && n >= s.fence.length && (!first || endsLine(s.text[s.pos+n:]) || endsTurn(s.text[s.pos+n:])) {
		s.fence = fence{}
		s.note(Tag, s.pos, s.pos+n, "closes the fence")
		s.skip(s.pos+n, stands, false)
		return
	}
	language := fenceLanguage(s.text[s.pos+n:])
	st := s.standing(s.pos)
	if first && s.keyFence(n, char, len(language), st) {
		return
	}
	if lower := strings.ToLower(strings.TrimSpace(language)); lower != "" && !dataFences[lower] {
		if !callFences[lower] || !s.callFence(n, char, language) {
			s.foreign(n, char)
		}
		return
	}
	s.fence = fence{true, char, n, st, s.pos + n + len(language)}
	s.note(Tag, s.pos, s.pos+n+len(language), "opens a fence that may hold a pick")
	s.skip(s.pos+n+len(language), st, true)
}

// endsLine reports whether nothing that shows follows on the line.
func endsLine(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r")
	return rest == "" || rest[0] == '\n'
}

// fenceLanguage is the word behind a fence mark, with the blanks before it.
func fenceLanguage(rest string) string {
	rest = rest[:min(len(rest), maxIndent)]
	blanks := len(rest) - len(strings.TrimLeft(rest, " "))
	if end := strings.IndexAny(rest[blanks:], " \t\r\n{[`"); end >= 0 {
		return rest[:blanks+end]
	}
	return rest
}

// foreign skips a fence that holds something else than JSON: what stands in it is quoted.
func (s *scanner) foreign(n int, char byte) {
	end := s.fenceEnd(s.pos+n, char, n)
	if inside := s.text[s.pos:end]; strings.IndexByte(inside, '{') >= 0 && saysCall(inside) {
		s.choice.quotes = true
	}
	if s.buried(end) {
		return
	}
	s.note(Quotation, s.pos, end, "a fence that holds something else")
	s.skip(end, stands, false)
}

// closesFence gives how many bytes of a line close a fence of n characters: all of one that holds nothing else, or those up to a
// token that ends the turn. 0 = it closes none.
func closesFence(line string, char byte, n int) int {
	rest := strings.TrimLeft(line, " \t\r>")
	behind := strings.TrimLeft(rest, string(char))
	switch {
	case len(rest)-len(behind) < n:
		return 0
	case strings.Trim(behind, " \t\r>") == "":
		return len(line)
	case endsTurn(behind):
		return len(line) - len(behind)
	}
	return 0
}

// fenceEnd is where the fence that opened before from is closed: on the same line, or by a line
// of nothing else. Without such a line it holds all the rest.
func (s *scanner) fenceEnd(from int, char byte, n int) int {
	mark := strings.Repeat(string(char), n)
	at := s.lineEnd(from)
	if i := strings.Index(s.text[from:at], mark); i >= 0 {
		return from + i + n
	}
	for at++; at < len(s.text); {
		line, _, _ := strings.Cut(s.text[at:], "\n")
		if closing := closesFence(line, char, n); closing > 0 {
			return at + closing
		}
		at += len(line) + 1
	}
	return len(s.text)
}
