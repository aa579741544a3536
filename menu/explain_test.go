package menu

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/registry"
)

// agrees fails unless Explain comes to what Parse comes to, and its steps keep their laws.
func agrees(t fataler, reply string, options []registry.Option, how Reading) []Step {
	t.Helper()
	want, wantErr := Parse(reply, options, how)
	got, steps, err := Explain(reply, options, how)
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("Parse picks %.2000v\nExplain picks %.2000v\n%.2000q", want, got, reply)
	}
	if fmt.Sprint(wantErr) != fmt.Sprint(err) {
		t.Fatalf("Parse says %v\nExplain says %v\n%.2000q", wantErr, err, reply)
	}
	if fault := faultIn(steps, reply, err); fault != "" {
		t.Fatalf("%s\n%s%.2000q", fault, listed(steps, reply), reply)
	}
	return steps
}

// faultIn says which law the steps break: they stand in order inside the reply, apart from each other, and one last word ends them.
func faultIn(steps []Step, reply string, err error) string {
	if len(steps) == 0 || len(steps) > maxSteps {
		return fmt.Sprintf("%d steps", len(steps))
	}
	last, behind := steps[len(steps)-1], 0
	if (last.What == Chosen) != (err == nil) || (last.What == Nothing) != (err != nil) {
		return fmt.Sprintf("the last word is %s, with the error %v", last.What, err)
	}
	if last.From < 0 || last.From > last.To || last.To > len(reply) || last.Why == "" {
		return fmt.Sprintf("the last word is %+v", last)
	}
	for i, s := range steps[:len(steps)-1] {
		switch {
		case s.From < behind || s.From > s.To || s.To > len(reply):
			return fmt.Sprintf("step %d is at %d-%d, the one before ends at %d of %d", i, s.From, s.To, behind, len(reply))
		case s.What == Chosen || s.What == Nothing || s.What == More && i != len(steps)-2:
			return fmt.Sprintf("step %d is %s", i, s.What)
		case strings.ContainsAny(s.Why, "\n\r") || len(s.Why) > 2000:
			return fmt.Sprintf("step %d says %q", i, s.Why)
		}
		behind = s.To
	}
	return ""
}

func listed(steps []Step, reply string) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%d-%d %s", s.From, s.To, s.What)
		if s.What != Nothing && s.What != More {
			excerpt := reply[s.From:s.To]
			if len(excerpt) > 80 {
				excerpt = excerpt[:60] + "…" + excerpt[len(excerpt)-12:]
			}
			b.WriteString(" `" + strings.ReplaceAll(excerpt, "\n", "⏎") + "`")
		}
		if s.Why != "" {
			b.WriteString(": " + s.Why)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestExplainAgreesOnCorpus(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, c := range corpusReplies(t) {
		reply := c.Reply
		if c.Parts != nil {
			reply = c.Parts.String()
		}
		if len(reply) > 1<<20 {
			reply = reply[:1<<20] // the law is the same, and takes less time
		}
		agrees(t, reply, menus[c.Menu], Reading{Lenient: c.Mode == "lenient"})
		agrees(t, reply[:len(reply)/2], menus[c.Menu], Reading{Cut: true})
	}
}

func TestExplainAgreesOnHostileReplies(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["notes"]
	for name, shape := range hostileShapes {
		for _, times := range []int{1, 3, 2000} {
			steps := agrees(t, strings.Repeat(shape, times), options, Reading{})
			if len(steps) == maxSteps && steps[maxSteps-2].What != More {
				t.Errorf("%s: %d steps, and none says that there are more", name, len(steps))
			}
		}
	}
}

// TestExplainAgrees makes replies of picks, what may stand around them, bytes that are no text, and cuts, and encodes some as a whole.
func TestExplainAgrees(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(soundPicks).Draw(t, "pick")
		pieces := append([]string{
			p.reply, "\n" + p.reply + "\n", p.reply[1:], strings.ReplaceAll(p.reply, `"`, "'"), "[" + p.reply + ", " + p.reply + "]",
			"{\"call\": \"close_ticket\"}\n", "Wait, no:\n", "\nActually, ", "Final answer:\n", "User: no\n", "Never mind.\n", "For example:\n",
			"<answer>", "</think>", "<|im_end|>", "```json\n", "```\n", "\xff\xfe", "é\xe2\x82", "\u202e", "<|im_start|>user\n", "[", "}", `\"`,
			"Nothing is left to do.", "call: done\n",
		}, surroundings...)
		reply := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces"), "")
		reply = reply[:rapid.IntRange(len(reply)/2, len(reply)).Draw(t, "cut")]
		if rapid.IntRange(0, 4).Draw(t, "encoded") == 0 {
			encoded, err := json.Marshal(reply)
			if err != nil {
				t.Fatal(err)
			}
			reply = "\ufeff " + string(encoded)
		}
		how := Reading{Lenient: rapid.Bool().Draw(t, "lenient"), Cut: rapid.Bool().Draw(t, "was cut")}
		if rapid.Bool().Draw(t, "phrases") {
			how.Phrases = []Phrase{{"Nothing is left to do.", menus[p.menu][0].Name}}
		}
		agrees(t, reply, menus[p.menu], how)
	})
}

// TestExplainPlaces: places are of the reply as it was given, also where the reader goes over a text that was made of it.
func TestExplainPlaces(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["notes"]
	for name, c := range map[string]struct{ reply, want string }{
		"trimmed":         {" \ufeff\n{\"call\": \"done\"} \n", `{"call": "done"}`},
		"bytes no text":   {"a\xff\xffb\xe2\x82 é\n{\"call\": \"done\"}\n\xff", `{"call": "done"}`},
		"in a text":       {` "No\ttext \u00e9 \ud83d\ude00 \ud83d!\n\n{\"call\": \"done\"}\n" `, `{\"call\": \"done\"}`},
		"text with bytes": {"\xff", ""},
		"escaped":         {` {\"call\": \"done\"}`, `{\"call\": \"done\"}`},
		"no first brace":  {"\n" + `"call": "done"}`, `"call": "done"}`},
	} {
		steps := agrees(t, c.reply, options, Reading{})
		last := steps[len(steps)-1]
		if last.What != Chosen && c.want != "" {
			t.Errorf("%s: no pick\n%s", name, listed(steps, c.reply))
			continue
		}
		if got := c.reply[last.From:last.To]; last.What == Chosen && got != c.want {
			t.Errorf("%s: the pick is at %q, want %q", name, got, c.want)
		}
	}
}

// TestExplainKeepsTheFirstSteps: what comes behind the first steps is counted, and the last word is there.
func TestExplainKeepsTheFirstSteps(t *testing.T) {
	t.Parallel()
	reply := strings.Repeat("{\"a\": 1}\n", 5000) + `{"call": "done"}`
	steps := agrees(t, reply, corpusMenus(t)["notes"], Reading{})
	more, last := steps[len(steps)-2], steps[len(steps)-1]
	if len(steps) != maxSteps || more.What != More || more.Why != "4003 more steps" || more.From != 998*9 {
		t.Errorf("%d steps, the last but one %+v", len(steps), more)
	}
	if got := reply[last.From:last.To]; got != `{"call": "done"}` {
		t.Errorf("the last word is about %q", got)
	}
}

// TestExplainGolden explains the replies of testdata/explain. The name of each is its menu and what it shows.
func TestExplainGolden(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "explain", "replies.txtar")
	menus := corpusMenus(t)
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fresh := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		menu, _, isReply := strings.Cut(f.Name, ": ")
		if !isReply {
			continue
		}
		steps := agrees(t, string(f.Data), menus[menu], Reading{Lenient: strings.Contains(f.Name, "lenient"), Cut: strings.Contains(f.Name, "token limit")})
		fresh.Files = append(fresh.Files, f, txtar.File{Name: "steps", Data: []byte(listed(steps, string(f.Data)))})
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(fresh))); d != "" {
		t.Errorf("testdata/explain is stale, run go test ./menu -run Explain -update: -want +got:\n%s", d)
	}
}
