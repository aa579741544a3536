package registry

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string // want is in the error; "" = allowed
	}{
		{"lookup_order", ""},
		{"v2.lookup-Order", ""},
		{"9lives", ""},
		{"_", ""},
		{"поиск", ""},
		{"検索", ""},
		{"खोज", ""}, // with combining marks
		{"٣", ""},
		{strings.Repeat("x", 64), ""},
		{strings.Repeat("語", 64), ""},
		{"", "empty"},
		{strings.Repeat("x", 65), "65 characters"},
		{"two words", "at character 4"},
		{"a/b", "at character 2"},
		{"a\nb", `'\n'`},
		{"语言,", "at character 3"},
		{"a\u200bb", `'\u200b'`},    // no width
		{"a\u202eb", `'\u202e'`},    // turns the writing direction
		{"a\u3164b", `'\u3164'`},    // a letter that is blank
		{"a\ufe0fb", `'\ufe0f'`},    // variation selector
		{"a\u034fb", `'\u034f'`},    // joins letters and shows nothing
		{"\u0301a", "at character"}, // a mark on nothing
		{"e\u0301", "NFC"},
		{"a\xffb", "UTF-8"},
		{"😀", "at character 1"},
	}
	for _, tt := range tests {
		err := CheckName(tt.name)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("CheckName(%q) = %v, want nil", tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("CheckName(%q) = %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}

func TestCheckToolName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "lookup_order", "a1_", "z" + strings.Repeat("9", 40)} {
		if err := CheckToolName(name); err != nil {
			t.Errorf("CheckToolName(%q) = %v", name, err)
		}
	}
	for _, name := range []string{"", "A", "_a", "1a", "a-b", "a.b", "aB", "ä", "z" + strings.Repeat("9", 41), "a ", "a\n"} {
		if err := CheckToolName(name); err == nil {
			t.Errorf("CheckToolName(%q) = nil, want an error", name)
		}
	}
}

// Both names of a clash are in the error, and the order in which they come makes no difference.
func TestNamesThatLookAlike(t *testing.T) {
	t.Parallel()
	alike := [][2]string{
		{"refund", "refund"},
		{"refund", "Refund"},
		{"refund", "REFUND"},
		{"refund", "rеfund"}, // Cyrillic е
		{"REFUND", "RЕFUND"}, // Cyrillic Е
		{"book", "Вook"},     // Cyrillic В, a capital
		{"ABC", "ΑΒС"},       // Greek Α and Β, Cyrillic С
		{"refund", "ｒｅｆｕｎｄ"}, // fullwidth
		{"refund", "𝐫𝐞𝐟𝐮𝐧𝐝"}, // bold
		{"go", "g0"},
		{"GO", "G0"},
		{"step1", "stepl"},
		{"AI", "Al"},
		{"list", "Iist"}, // a capital I
		{"item", "ıtem"}, // without its dot
		{"item", "İtem"}, // folding gives it two
		{"strasse", "straße"},
		{"office", "oﬃce"},
		{"kelvin", "Kelvin"}, // the kelvin sign
		{"get_mail", "GET_MAIL"},
		{"ꭰ", "Ꭰ"},
	}
	for _, pair := range alike {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			var names Names
			if err := names.Add(p[0]); err != nil {
				t.Fatalf("first Add(%q) = %v", p[0], err)
			}
			err := names.Add(p[1])
			if err == nil || !strings.Contains(err.Error(), p[0]) || !strings.Contains(err.Error(), p[1]) {
				t.Errorf("Add(%q) after %q = %v, want an error that names both", p[1], p[0], err)
			}
		}
	}
}

func TestNamesThatDiffer(t *testing.T) {
	t.Parallel()
	var names Names
	for _, name := range []string{"get_mail", "get_mall", "fail", "fall", "a_b", "a-b", "a.b", "ab", "refund", "refunds",
		"résumé", "resume", "поиск", "найти", "検索", "order2", "order3", "close", "closed"} {
		if err := names.Add(name); err != nil {
			t.Errorf("Add(%q) = %v", name, err)
		}
	}
}

// A name that is refused leaves nothing behind.
func TestNamesRefusedIsNotTakenIn(t *testing.T) {
	t.Parallel()
	var names Names
	for _, step := range []struct {
		name string
		ok   bool
	}{{"list", true}, {"Iist", false}, {"iist", true}, {"IIST", false}} {
		if err := names.Add(step.name); (err == nil) != step.ok {
			t.Errorf("Add(%q) = %v, want ok %v", step.name, err, step.ok)
		}
	}
}

func TestSkeletonIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringN(1, 20, -1).Draw(t, "name")
		once := Skeleton(name)
		if twice := Skeleton(once); twice != once {
			t.Fatalf("Skeleton(%q) = %q, again %q", name, once, twice)
		}
	})
}

func TestTitleOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"lookup_order": "Lookup order", "files.read-all": "Files read all", "x": "X", "öffnen": "Öffnen", "ǆ": "ǅ", "_": "_", "検索": "検索",
	} {
		if got := TitleOf(name); got != want {
			t.Errorf("TitleOf(%q) = %q, want %q", name, got, want)
		}
	}
}
