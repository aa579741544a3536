package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// agreeOnText holds the quick reader, the strict one and the standard library together.
func agreeOnText(t *testing.T, raw []byte) {
	t.Helper()
	quick, ok := scan(raw)
	strict, err := decodeStrictly(raw)
	if ok && err != nil {
		t.Fatalf("%q is read, but the strict reader says: %v", raw, err)
	}
	if ok && !cmp.Equal(quick, strict) {
		t.Fatalf("%q is read as %#v, strictly as %#v", raw, quick, strict)
	}
	v, decodeErr := Decode(raw)
	if (decodeErr == nil) != (err == nil) || !cmp.Equal(v, strict) {
		t.Fatalf("Decode(%q) = %#v, %v; strictly %#v, %v", raw, v, decodeErr, strict, err)
	}
	if err != nil {
		holdsErrorOfText(t, err)
		return
	}
	var standard any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&standard); err != nil {
		t.Fatalf("%q is read, but the standard library says: %v", raw, err)
	}
	if !cmp.Equal(strict, standard) {
		t.Fatalf("%q is read as %#v, by the standard library as %#v", raw, strict, standard)
	}
	if sound(v, 0) != "" {
		t.Fatalf("%q is read, but Check would refuse it: %s", raw, sound(v, 0))
	}
}

func holdsErrorOfText(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != BadArgs || !strings.Contains(e.Error(), "at offset ") {
		t.Fatalf("%#v is no error of kind bad_args that names the offset", err)
	}
	if text := e.Fix(); len(text) > 1000 || !utf8.ValidString(text) || strings.ContainsAny(text, "\n\x1b") {
		t.Fatalf("badly worded: %q", text)
	}
}

var someJSON = []string{
	`null`, `true`, ` false `, `0`, `-0`, `-1.5e+10`, `1E400`, `12345678901234567890`, `""`, `"a\"\\\/\b\f\n\r\t\u0041\u00e9"`, `"\ud83d\ude00"`, `"\ud800"`, `"\udc00\ud800x"`,
	`"äöü😀"`, `[]`, `[ ]`, `[1,[2,{"a":[]}]]`, `{}`, `{ "a" : 1 , "b" : { } }`, `{"a":1,"a":1}`, `{"\ud800":1,"\udfff":2}`, `{"a":1,}`, `[1 2]`, `[,1]`, `{"a"}`, `tru`, `nulll`, `01`, `1.`, `.5`, `+1`, `--1`, `1e`, `"a`, `"\`, `"\u12`, `[`, `{`, `{"a":`, "\"\x01\"",
	"\"\x7f\"", "\"\xff\"", "\"\xed\xa0\x80\"", "\ufeff{}", "{}\x00", ``, ` `, `//`, "[1]\n\n", `1 1`,
}

func TestReadersAgree(t *testing.T) {
	t.Parallel()
	for _, text := range someJSON {
		agreeOnText(t, []byte(text))
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range someJSON {
		f.Add([]byte(text))
	}
	f.Fuzz(agreeOnText)
}

func TestDecodeBounds(t *testing.T) {
	t.Parallel()
	nested := func(open, shut string, n int) string { return strings.Repeat(open, n) + "1" + strings.Repeat(shut, n) }
	for name, tt := range map[string]struct {
		text string
		want string // in the error; "" = taken
	}{
		"lists 200 deep":               {nested("[", "]", 200), ""},
		"lists 201 deep":               {nested("[", "]", 201), "nested deeper than 200"},
		"objects 200 deep":             {nested(`{"a":`, "}", 200), ""},
		"objects 201 deep":             {nested(`{"a":`, "}", 201), "nested deeper than 200"},
		"a million open lists":         {strings.Repeat("[", 1_000_000), "nested deeper than 200"},
		"a number of 40 characters":    {"0." + strings.Repeat("1", 38), ""},
		"a number of 41 characters":    {"0." + strings.Repeat("1", 39), "longer than 40 characters"},
		"a number of 300,000 digits":   {strings.Repeat("9", 300_000), "longer than 40 characters"},
		"the greatest exponent":        {"1e308", ""},
		"beyond the greatest exponent": {"1e309", "beyond an exponent of 308"},
		"the least exponent":           {"5e-324", ""},
		"beyond the least exponent":    {"1E-00325", "beyond an exponent of -324"},
		"past the floats":              {"2e308", "too large"},
		"an exponent of noughts":       {"1e0000000000000000000000000000000000002", ""},
		"a long exponent":              {"1e99999999999999999999", "beyond an exponent of 308"},
		"half a surrogate pair":        {`"\ud800"`, ""},
		"bytes that are no UTF-8":      {"\"a\xff\"", "at offset 2: the bytes are no UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Decode(json.RawMessage(tt.text))
			if tt.want == "" && err != nil {
				t.Fatal(err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Fatalf("got %v, want an error with %q", err, tt.want)
			}
			if err != nil {
				holdsErrorOfText(t, err)
			}
		})
	}
}
