package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a file. Beyond them it is refused before anything is built from it.
const (
	maxBytes  = 8 << 20
	maxDepth  = 64        // of brackets, of indentation, and of both together
	maxMarks  = 1_000_000 // of what can part values
	maxKey    = 1024      // bytes of one key
	maxNumber = 40        // characters of one number
)

// syntax is the one reason for which a text can't be read as a whole.
type syntax struct {
	pos          Pos
	message, fix string
}

// plainText checks a file's bytes and returns them as UTF-8 text without byte order mark, lines ended by LF alone.
func plainText(data []byte) (string, *syntax) {
	if len(data) > maxBytes {
		return "", &syntax{Pos{1, 1}, "the file is larger than 8 MiB", "Split what it does over several servers"}
	}
	if wide(data) {
		return "", &syntax{Pos{1, 1}, "the file is not UTF-8 but UTF-16 or UTF-32", "Save it as UTF-8"}
	}
	s := strings.TrimPrefix(string(data), "\uFEFF")
	if strings.ContainsRune(s, '\r') {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	if !utf8.ValidString(s) {
		return "", badByte(s)
	}
	if bad := badRune(s); bad != nil {
		return "", bad
	}
	return s, tooMuch(s)
}

// tooMuch refuses what would cost too much memory. No value stands in a text without one of these characters.
func tooMuch(s string) *syntax {
	marks := 0
	for i := range len(s) {
		switch s[i] {
		case '\n', ':', ',', '-', '?', '[', '{':
			marks++
		}
	}
	if marks > maxMarks {
		return &syntax{Pos{1, 1}, "the file holds more than 1,000,000 lines, commas, colons, dashes and brackets", "Split it"}
	}
	return nil
}

// wide reports whether data looks like UTF-16 or UTF-32, with a byte order mark or without.
func wide(data []byte) bool {
	if len(data) < 2 {
		return false
	}
	a, b := data[0], data[1]
	return a == 0xFF && b == 0xFE || a == 0xFE && b == 0xFF || a == 0 && b != 0 || a != 0 && b == 0 ||
		len(data) >= 4 && a == 0 && b == 0 && (data[2] == 0xFE || data[3] != 0)
}

func badByte(s string) *syntax {
	line, col := 1, 1
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size <= 1 {
			return &syntax{Pos{line, col}, fmt.Sprintf("byte 0x%02x is not UTF-8", s[0]), "Save the file as UTF-8"}
		}
		if col++; r == '\n' {
			line, col = line+1, 1
		}
		s = s[size:]
	}
	return nil
}

// badRune finds characters that hide or change what a person sees: control characters and those that turn the
// direction of text.
func badRune(s string) *syntax {
	line, col := 1, 1
	for _, r := range s {
		if r == '\n' {
			line, col = line+1, 1
			continue
		}
		if hidden(r) && r != '\t' || r == '\u2028' || r == '\u2029' { // the last two end a line for some readers
			return &syntax{Pos{line, col}, fmt.Sprintf("the invisible character U+%04X stands in the file", r), unseen(r)}
		}
		col++
	}
	return nil
}

func hidden(r rune) bool {
	return unicode.IsControl(r) || r == '\uFEFF' || r == '\uFFFE' || r == '\uFFFF' || unicode.Is(unicode.Bidi_Control, r)
}

func unseen(r rune) string {
	if r == 0 {
		return "Remove it"
	}
	return fmt.Sprintf(`Remove it, or write it as \u%04x in a text in double quotes`, r)
}
