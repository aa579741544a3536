package config

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

const small = "methods:\n  now: {summary: The time of day., effect: read, run: [date]}\n"

// TestBytes: what a file's bytes may be. The rows of C2 are refused by a limit, before anything is built of them; that the
// time is linear is TestLinear's.
func TestBytes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"plain", small, ""},
		{"carriage returns", strings.ReplaceAll(small, "\n", "\r\n"), ""},
		{"carriage returns alone", strings.ReplaceAll(small, "\n", "\r"), ""},
		{"byte order mark", "\ufeff" + small, ""},
		{"no line end", strings.TrimSuffix(small, "\n"), ""},
		{"a mark within", small + "\ufeff", "f:3:1: the invisible character U+FEFF stands in the file. Remove it, or write it as \\ufeff in a text in double quotes"},
		{"empty", "", "f:1:1: the file is empty. Write methods: and below it what can be called; mcp-decide init writes a file to start from"},
		{"blank", " \n\n  ", "f:1:1: the file is empty. Write methods: and below it what can be called; mcp-decide init writes a file to start from"},
		{"UTF-16, little end first", wideText(binary.LittleEndian, true), "f:1:1: the file is not UTF-8 but UTF-16 or UTF-32. Save it as UTF-8"},
		{"UTF-16, big end first", wideText(binary.BigEndian, true), "f:1:1: the file is not UTF-8 but UTF-16 or UTF-32. Save it as UTF-8"},
		{"UTF-16 without a mark", wideText(binary.LittleEndian, false), "f:1:1: the file is not UTF-8 but UTF-16 or UTF-32. Save it as UTF-8"},
		{"UTF-32", "\x00\x00\xfe\xff\x00\x00\x00m", "f:1:1: the file is not UTF-8 but UTF-16 or UTF-32. Save it as UTF-8"},
		{"NUL", small + "# \x00", "f:3:3: the invisible character U+0000 stands in the file. Remove it"},
		{"escape", small + "# \x1b[31m", "f:3:3: the invisible character U+001B stands in the file. Remove it, or write it as \\u001b in a text in double quotes"},
		{"Latin-1", "methods:\n  x: {summary: caf\xe9}\n", "f:2:19: byte 0xe9 is not UTF-8. Save the file as UTF-8"},
		{"8 MiB", strings.Repeat("#\n", maxBytes/2) + "\n", "f:1:1: the file is larger than 8 MiB. Split what it does over several servers"},
		{"just 8 MiB", small + strings.Repeat("#", maxBytes-len(small)), ""},
		{"65 levels", "a: " + strings.Repeat("[", 65), "f:1:68: more than 64 levels of nesting. Write it flatter"},
		{"65 levels of dashes", strings.Repeat("- ", 65), "f:1:129: more than 64 levels of nesting. Write it flatter"},
		{"65 levels of keys", deepKeys(65), "f:65:66: more than 64 levels of nesting. Write it flatter"},
		{"65 levels of both", "- - - - - - - - " + strings.Repeat("[", 57) + strings.Repeat("]", 57), "f:1:73: more than 64 levels of nesting. Write it flatter"},
		{"C2: 10,000 levels", strings.Repeat("{a: ", 10_000), "f:1:257: more than 64 levels of nesting. Write it flatter"},
		{"too many values", "a: [" + strings.Repeat("a,", maxMarks) + "]", "f:1:1: the file holds more than 1,000,000 lines, commas, colons, dashes and brackets. Split it"},
		{"a line end that some do not see", "a: x\u2028y", "f:1:5: the invisible character U+2028 stands in the file. Remove it, or write it as \\u2028 in a text in double quotes"},
		{"C2: 10,000 levels of dashes", strings.Repeat("- ", 10_000), "f:1:129: more than 64 levels of nesting. Write it flatter"},
		{"C2: 100,000 methods", "methods: {" + manyNames(100_000) + "}", "f:1:10: methods: 100000 entries, more than 10000. Split it"},
		{"C2: an alias bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "f:1:4: anchors and aliases (& and *) are not read. Write the value out, or put the text in quotes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if raceDetector && len(tc.in) > 1<<20 {
				t.Skip("a large text")
			}
			_, err := Parse("f", "", []byte(tc.in))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("got  %.300s\nwant %s", got, tc.want)
			}
		})
	}
}

func wideText(order binary.AppendByteOrder, mark bool) string {
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xFEFF)
	}
	for _, u := range utf16.Encode([]rune(small)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "m%d: {}, ", i)
	}
	return b.String()
}

func deepKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// TestManyProblems: of very many problems or warnings the first are kept, and it is said how many there are.
func TestManyProblems(t *testing.T) {
	t.Parallel()
	const said = maxProblems + 234
	for _, tc := range []struct{ name, each, want string }{
		{"problems", "  m%04d: {summary: Do it., effect: odd, run: [x]}\n", "f:1001:36: 234 more problems. Mend these first"},
		{"warnings", "  m%04d: {summary: Do it., run: [x]}\n", "f:1001:3: 234 more warnings. Mend these first"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			in := "methods:\n"
			for i := range said {
				in += fmt.Sprintf(tc.each, i)
			}
			all := problemsOf(Parse("f", "", []byte(in)))
			if len(all) != maxProblems+1 {
				t.Fatalf("%d of %d kept", len(all), said)
			}
			if got := all[maxProblems].String(); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
