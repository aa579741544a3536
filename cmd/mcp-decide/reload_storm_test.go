package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/mcp-decide/mcp-decide/decide"
)

// Row C12: a hundred changes a second, in every way in which a file can change, also while it is read: what is in effect is always a whole file, in the
// end it is the last one, and nothing is left of the others.
//
// Not parallel: it counts the goroutines and the open files of the whole process.
func TestAStormOfChanges(t *testing.T) {
	u := &under{sandbox: newSandbox(t)}
	u.put(1)
	before := census(t)
	stop := u.begin()
	n := 1
	tick := time.NewTicker(10 * time.Millisecond)
	for range 25 {
		for _, change := range []func(string){u.byRename, u.inPlace, u.byLink, u.afterDeleting} {
			<-tick.C
			n++
			change(versioned(n))
			u.changes.ask()
			u.whole()
		}
	}
	tick.Stop()
	u.put(n + 1)
	u.await(n + 1)
	u.whole()
	stop()
	u.forgotten(n + 1)
	census(t).settles(t, before)
}

func (u *under) byRename(text string) {
	u.write("new.yaml", text)
	u.rename("new.yaml", "c.yaml")
}

// inPlace writes the file in four steps, and has it read after each.
func (u *under) inPlace(text string) {
	for i := range 4 {
		u.write("c.yaml", text[:len(text)*(i+1)/4])
		u.changes.ask()
	}
}

func (u *under) byLink(text string) {
	u.write("far/c.yaml", text)
	u.link(filepath.Join("far", "c.yaml"), "c.yaml")
}

func (u *under) afterDeleting(text string) {
	u.remove("c.yaml")
	u.changes.ask()
	u.write("c.yaml", text)
}

// whole looks whether all that is in effect is of one version.
func (u *under) whole() {
	u.Helper()
	v := u.setup.engine.View()
	n := versionIn(wordsOf(v))
	if n < 0 {
		u.Errorf("of several versions: %q", wordsOf(v))
	}
	u.seen.LoadOrStore(n, weak.Make(v.Methods))
}

// wordsOf is all text of a view that names a version.
func wordsOf(v *decide.View) string {
	var b strings.Builder
	for _, m := range v.Methods.Methods() {
		b.WriteString(m.Summary + " " + string(m.Constant) + "\n")
	}
	for _, d := range v.Decisions() {
		b.WriteString(d.Summary + " " + d.Prompt + "\n" + v.Menu(d))
	}
	return b.String()
}
