package registry

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/validate"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"b":1,"a":{"d":null,"c":[true,false]}}`: `{"a":{"c":[true,false],"d":null},"b":1}`,
		`"\u00e9\u002f\/\ud83d\ude00\u2028<"`:     "\"é//😀\u2028<\"",
		`"\b\f\n\r\t\u001f\"\\\u007f"`:            `"\u0008\u000c\n\r\t\u001f\"\\` + "\x7f\"",
		`-0`:                                      `0`,
		`0.000`:                                   `0`,
		`0e5`:                                     `0`,
		`12.0`:                                    `12`,
		`1.2e1`:                                   `12`,
		`1200e-2`:                                 `12`,
		`-0.0120`:                                 `-0.012`,
		`1.50`:                                    `1.5`,
		`1e3`:                                     `1000`,
		`12345678901234567890.10`:                 `12345678901234567890.1`,
		`1E+2`:                                    `100`,
		`1e39`:                                    `1` + strings.Repeat("0", 39),
		`1e40`:                                    `1e40`,
		`1.25e200`:                                `125e198`,
		`-1e-300`:                                 `-1e-300`,
		`1e-39`:                                   `0.` + strings.Repeat("0", 38) + `1`,
		`1e-41`:                                   `1e-41`,
	} {
		v, err := validate.Decode(json.RawMessage(text))
		if err != nil {
			t.Errorf("Decode(%s): %v", text, err)
			continue
		}
		if got := string(canonical(v)); got != want {
			t.Errorf("canonical(%s) = %s, want %s", text, got, want)
		}
	}
}

// Two numbers have one canonical form exactly when they are equal, and the form has the value.
func TestCanonicalNumbers(t *testing.T) {
	t.Parallel()
	number := rapid.Custom(func(t *rapid.T) string {
		digits := rapid.StringMatching(`-?(0|[1-9][0-9]{0,5})(\.[0-9]{1,5})?`).Draw(t, "digits")
		return digits + rapid.SampledFrom([]string{"", "", "e0", "e1", "E-1", "e+2", "e-3", "e30", "e-40", "e300"}).Draw(t, "exponent")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		ca, cb := exactNumber(a), exactNumber(b)
		if (x.Cmp(y) == 0) != (ca == cb) {
			t.Fatalf("%s and %s become %s and %s", a, b, ca, cb)
		}
		if z, ok := new(big.Rat).SetString(ca); !ok || z.Cmp(x) != 0 || !json.Valid([]byte(ca)) {
			t.Fatalf("%s becomes %s", a, ca)
		}
	})
}

// Canonical and masked texts read back as what they were made of.
func TestEncodedReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := jsonValue(3).Draw(t, "v")
		once := canonical(v)
		back, err := validate.Decode(once)
		if err != nil {
			t.Fatalf("canonical form %s can't be read: %v", once, err)
		}
		if again := canonical(back); string(again) != string(once) {
			t.Fatalf("canonical form %s becomes %s", once, again)
		}
	})
}
