package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// line is a text of one line, without the line end that a block of text has.
func line(n *node) string {
	if n == nil || n.kind != text {
		return ""
	}
	return strings.TrimRight(n.text, "\n")
}

// words is a text as written.
func words(n *node) string {
	if n == nil || n.kind != text {
		return ""
	}
	return n.text
}

func isTrue(n *node) bool { return n != nil && n.kind == boolean && n.text == "true" }

// count is a whole number; 0 when there is none.
func count(n *node) int {
	if n == nil || n.kind != number {
		return 0
	}
	i, _ := strconv.Atoi(n.text)
	return i
}

func checkLine(n *node) (message, fix string) {
	s := line(n)
	if strings.TrimSpace(s) == "" {
		return "the text is empty", "Write one, or remove the key"
	}
	if i := strings.IndexFunc(s, hidden); i >= 0 {
		if s[i] == '\n' {
			return "a text of several lines where one line is expected", "Write one line; more goes into a description"
		}
		r, _ := utf8.DecodeRuneInString(s[i:])
		return fmt.Sprintf("the invisible character U+%04X in a line", r), "Remove it"
	}
	return "", ""
}

// tooLong says that a text has more characters than it may; most 0 = it may have any number.
func tooLong(n *node, most int) (message, fix string) {
	if most == 0 || n.kind != text || len(n.text) <= most {
		return "", ""
	}
	if size := utf8.RuneCountInString(n.text); size > most {
		return fmt.Sprintf("the text has %d characters, more than %d", size, most), "Say it shorter"
	}
	return "", ""
}

func checkProse(n *node) (message, fix string) {
	for _, r := range n.text {
		if hidden(r) && r != '\n' && r != '\t' {
			return fmt.Sprintf("the invisible character U+%04X in a text", r), "Remove it"
		}
	}
	return "", ""
}

func checkWord(n *node) (message, fix string) {
	if strings.TrimSpace(n.text) == "" {
		return "the name is empty", "Write a name"
	}
	return checkLine(n)
}

// maxTimeout is the longest time that one call may take.
const maxTimeout = 10 * time.Minute

func checkDuration(n *node) (message, fix string) {
	if _, ok := parseDuration(n.text); ok {
		return "", ""
	}
	return fmt.Sprintf("%s is no duration", quote(n.text)), "Write a whole number and ms, s, m, h or d, like 30s, 5m, 1h or 30d"
}

// durationOf is the duration that a value says; 0 when it says none.
func durationOf(n *node) time.Duration {
	d, _ := parseDuration(words(n))
	return d
}

// parseDuration reads 250ms, 30s, 1h30m, 30d; more than nothing and at most ten years.
func parseDuration(s string) (time.Duration, bool) {
	const day = 24 * time.Hour
	units := []struct {
		name string
		unit time.Duration
	}{{"ms", time.Millisecond}, {"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", day}}
	var sum time.Duration
	if len(s) > 32 {
		return 0, false
	}
	for s != "" {
		n := digits(s)
		value, err := strconv.ParseInt(s[:n], 10, 32)
		if err != nil {
			return 0, false
		}
		s = s[n:]
		found := false
		for _, u := range units {
			if rest, ok := strings.CutPrefix(s, u.name); ok && (rest == "" || digits(rest[:1]) > 0) {
				if value > int64(3650*day/u.unit) {
					return 0, false
				}
				sum += time.Duration(value) * u.unit
				s, found = rest, true
				break
			}
		}
		if !found || sum > 3650*day {
			return 0, false
		}
	}
	return sum, sum > 0
}

func checkStore(n *node) (message, fix string) {
	kind, rest, _ := strings.Cut(n.text, ":")
	switch {
	case n.text == "memory:", (kind == "sqlite" || kind == "env") && rest != "":
		return "", "" // the path and the variable are looked at when the store is opened
	case (kind == "postgres" || kind == "postgresql") && strings.HasPrefix(rest, "//"):
		return "", ""
	}
	return "this is no place for a store", "Write sqlite:PATH, postgres://HOST/DATABASE, env:NAME or memory:, or leave store out" // not shown: it may hold a password
}

func checkPicker(n *node) (message, fix string) {
	if n.text != "host" && contains(pickers, n.text) {
		return "this version does not have the picker " + n.text + " yet", "Write picker: host, or leave it out: the host's model picks"
	}
	return "", ""
}

// checkRunText refuses a command line in one text, with the list to paste.
func checkRunText(n *node) (message, fix string) {
	return "run is a list, not a command line: no shell reads it", "Write run: " + argvOf(n.text)
}

// checkArgvText is the same for argv.
func checkArgvText(n *node) (message, fix string) {
	return "argv is a list, not a command line: no shell reads it", "Write argv: " + argvOf(n.text)
}

// argvOf is the list form of a command line; quotes part its words as in a shell, nothing else is looked at.
func argvOf(line string) string {
	const most = 32
	parts := split(line)
	var b strings.Builder
	for i, p := range parts {
		if b.WriteString(map[bool]string{true: "[", false: ", "}[i == 0]); i == most {
			b.WriteString("…")
			break
		}
		b.WriteString(element(p))
	}
	if len(parts) == 0 {
		b.WriteString("[program")
	}
	return b.String() + "]"
}

// element is a text as an entry of a list in brackets.
func element(s string) string {
	plain := s != "" && resolve(s) == text && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-") == "" && s != "-"
	if plain {
		return s
	}
	return strconv.Quote(s)
}

func split(line string) []string {
	var words []string
	var b strings.Builder
	var quote rune
	open := false
	for _, c := range line {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(c)
		case c == '"' || c == '\'':
			quote, open = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if open {
				words, open = append(words, b.String()), false
				b.Reset()
			}
		default:
			b.WriteRune(c)
			open = true
		}
	}
	if open {
		words = append(words, b.String())
	}
	return words
}
