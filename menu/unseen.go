package menu

import (
	"strings"
	"unicode/utf8"
)

// unseen is the length of what does not show at the start of text: a no-break or zero-width
// blank, a byte order mark, NUL, a colour code. 0 = it shows.
func unseen(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	switch r {
	case 0, 0xa0, 0xfeff, 0x200b, 0x200c, 0x200d, 0x2060:
		return size
	case 0x1b:
		return colourCode(text)
	}
	return 0
}

// colourCode is the length of ESC [ 32 m and the like at the start of text.
func colourCode(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	for i := 2; i < min(len(text), 24); i++ {
		switch c := text[i]; {
		case c == 'm' || c == 'K':
			return i + 1
		case c != ';' && !isDigit(c):
			return 0
		}
	}
	return 0
}

// trimUnseen takes blanks and what does not show from both ends.
func trimUnseen(text string) string { return trimUnseenRight(trimUnseenLeft(text)) }

func trimUnseenLeft(text string) string {
	s := skimmer{text: text}
	s.space()
	return text[s.pos:]
}

func trimUnseenRight(text string) string {
	for {
		text = strings.TrimRight(text, " \n\t\r\x00")
		r, size := utf8.DecodeLastRuneInString(text)
		switch r {
		case 0xa0, 0xfeff, 0x200b, 0x200c, 0x200d, 0x2060:
			text = text[:len(text)-size]
			continue
		case 'm', 'K':
			i := strings.LastIndexByte(text[max(0, len(text)-24):], 0x1b)
			if i += max(0, len(text)-24); i >= 0 && i < len(text) && text[i] == 0x1b && colourCode(text[i:]) == len(text)-i {
				text = text[:i]
				continue
			}
		}
		return text
	}
}

func isBlank(text string) bool { return trimUnseenLeft(text) == "" }
