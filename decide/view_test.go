package decide

import (
	"fmt"
	"strings"
	"testing"
)

// A view stays as it was taken, however much is added; and no decision has a name that looks like another one's.
func TestAdding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	choice := func(name string) Decision {
		return Decision{Name: name, Prompt: "Choose.", Options: []Option{Value("a", 1)}}
	}
	var views []*View
	for i := range 50 {
		views = append(views, w.eng.View())
		w.must(w.eng.Add(choice(fmt.Sprint("d", i))))
	}
	for i, v := range views {
		_, has := v.Decision(fmt.Sprint("d", i))
		if n := len(v.Decisions()); n != 1+i || has {
			t.Errorf("view %d has %d decisions, the next one among them: %v", i, n, has)
		}
		if _, has := v.Decision(fmt.Sprint("d", i-1)); !has && i > 0 {
			t.Errorf("view %d lacks the one before it", i)
		}
	}
	for name, want := range map[string]string{"d7": "is taken", "TICKET": "only by case", "dO": "look-alike"} {
		if err := w.eng.Add(choice(name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("adding %s: %v", name, err)
		}
	}
	if err := w.eng.Replace([]Decision{choice("x1"), choice("xl")}); err == nil {
		t.Error("two that look alike were taken in")
	}
	if err := w.eng.Add(choice("d7")); err == nil {
		t.Error("a replacement that failed gave the names back")
	}
	w.must(w.eng.Replace([]Decision{choice("x")}))
	w.must(w.eng.Add(choice("d7")))
	if err := w.eng.Add(choice("X")); err == nil {
		t.Error("a replaced name was forgotten")
	}
}
