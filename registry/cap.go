package registry

import (
	"fmt"
	"unicode/utf8"
)

// The bounds of a result, beside the characters that its method sets.
const (
	maxBinary = 4 << 20 // bytes in all blocks together
	maxBlocks = 1000
)

// capped cuts content down to max characters in all texts together: the first 70 % and the last 30 % stay, and a
// marker between them says how many characters are missing. Of binary data, what goes over 4 MiB is replaced by a
// text that says so; so is a block that has too much beside its text, for which there is as much room again as for the
// texts. The number is that of the characters left out.
func capped(content []Block, max int) ([]Block, int) {
	content, without := light(content, max)
	total := 0
	for i := range content {
		total += utf8.RuneCountInString(content[i].Text)
	}
	if total <= max {
		return content, without
	}
	left := total - max
	marker := fmt.Sprintf("\n[… %d characters left out …]\n", left)
	return cutMiddle(content, max*7/10, max*7/10+left, marker), without + left
}

// cutMiddle takes the characters from one place up to another out of all texts, counted through, and puts the marker
// there. Blocks of which nothing stays go too, unless they hold more than text.
func cutMiddle(content []Block, from, to int, marker string) []Block {
	kept := make([]Block, 0, len(content))
	at := 0 // characters before the block
	for _, b := range content {
		n := utf8.RuneCountInString(b.Text)
		head, tail := from-at, to-at
		at += n
		switch {
		case n == 0, head >= n, tail <= 0: // all of it stays
		case head < 0 && tail >= n && b.Type == "text": // in the middle
			continue
		default:
			b.Text = withoutMiddle(b.Text, head, tail, marker)
		}
		kept = append(kept, b)
	}
	return kept
}

// withoutMiddle is one text without its characters from head up to tail. The marker stands where the cut begins, so
// a text in which it began before has none.
func withoutMiddle(text string, head, tail int, marker string) string {
	if head < 0 {
		return text[offset(text, tail):]
	}
	return text[:offset(text, head)] + marker + text[offset(text, tail):]
}

// offset is the byte at which character n of a text begins, or its length.
func offset(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// light replaces blocks that are too many, or too heavy, by texts that say so. The number is that of the characters
// in blocks that had too many beside their text.
func light(content []Block, max int) (kept []Block, without int) {
	if more := len(content) - maxBlocks; more > 0 {
		note := Text(fmt.Sprintf("[%d more blocks left out]", more))
		content = append(content[:maxBlocks:maxBlocks], note)
	}
	bytes, characters := maxBinary, max
	for i := range content {
		b := &content[i]
		size, beside := len(b.Data), b.beside()
		switch {
		case size > bytes:
			*b = Text(fmt.Sprintf("[%s of %d bytes left out: a result holds at most %d]", b.Type, size, maxBinary))
		case beside > characters:
			without += beside + utf8.RuneCountInString(b.Text)
			*b = Text(fmt.Sprintf("[%s left out: it has %d characters beside its text, and all blocks together at most %d]", b.Type, beside, max))
		default:
			bytes -= size
			characters -= beside
		}
	}
	return content, without
}
