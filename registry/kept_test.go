package registry

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// A text is written once for a style, a name, a description and whether the turn goes on; a copy of a method keeps nothing.
func TestText(t *testing.T) {
	t.Parallel()
	m := prepared(t, Method{Summary: "One."})
	wrote := 0
	write := func(o *Option) string { wrote++; return fmt.Sprint(o.Name, o.Description, o.Again, o.Method.Summary) }
	options := []Option{{Name: "a", Method: m}, {Name: "b", Method: m}, {Name: "a", Description: "d", Method: m}, {Name: "a", Again: true, Method: m}}
	for range 3 {
		for i := range options {
			for _, style := range []string{"full", "compact"} {
				if got := options[i].Text(style, write); got != fmt.Sprint(options[i].Name, options[i].Description, options[i].Again, "One.") {
					t.Errorf("%+v is %q", options[i], got)
				}
			}
		}
	}
	if wrote != 2*len(options) {
		t.Errorf("%d texts were written, want %d", wrote, 2*len(options))
	}

	other := *m
	other.Summary = "Two."
	for _, o := range []Option{{Name: "a", Method: &other}, {Name: "a", Method: &Method{Summary: "Two."}}} {
		if got := o.Text("full", write); got != "afalseTwo." {
			t.Errorf("a copy is %q", got)
		}
	}
	none := Option{Name: "a"}
	if got := none.Text("full", func(*Option) string { return "none" }); got != "none" {
		t.Errorf("without a method it is %q", got)
	}
}

// However many texts are asked for, those of one method stay few and none of them long.
func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	m := prepared(t, Method{Summary: "One."})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 10 * maxKept {
				o := Option{Name: "a", Description: fmt.Sprint(i), Method: m}
				if got := o.Text("full", func(o *Option) string { return o.Description }); got != o.Description {
					t.Errorf("%q is %q", o.Description, got)
				}
			}
		})
	}
	all.Wait()
	if n := len(m.kept.all()); n != maxKept {
		t.Errorf("%d texts are kept, want %d", n, maxKept)
	}

	m = prepared(t, Method{Summary: "One."})
	o := Option{Name: "a", Method: m}
	o.Text("full", func(*Option) string { return strings.Repeat("x", maxKeptText+1) })
	if n := len(m.kept.all()); n != 0 {
		t.Error("a very long text is kept")
	}
}
