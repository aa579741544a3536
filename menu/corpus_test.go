package menu

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// exactReplies is the floor per file of the corpus: how many of its replies are read exactly as expected, not only as a careful
// reader also would. It only goes up.
var exactReplies = map[string]int{
	"replies.jsonl":     155,
	"own-damage.jsonl":  170,
	"own-dangers.jsonl": 274,
	"own-formats.jsonl": 167,
	"own-lenient.jsonl": 209,
	"own-streams.jsonl": 104,
	"own-words.jsonl":   115,
}

// waiting are the replies whose outcome is not reached yet, with the reason. A wrong pick is never waited for.
var waiting = map[string]string{}

// TestCorpus reads the replies of the corpus, each in its mode. No reading may be a pick that no careful reader would
// take, and every outcome is the expected one or one that is also right.
func TestCorpus(t *testing.T) {
	t.Parallel()
	menus, exact := corpusMenus(t), map[string]int{}
	seen := map[string]bool{}
	var others []string
	for _, c := range corpusReplies(t) {
		if seen[c.ID] {
			t.Errorf("%s: the id is there twice", c.ID)
		}
		seen[c.ID] = true
		if menus[c.Menu] == nil {
			t.Errorf("%s: there is no menu %s", c.ID, c.Menu)
			continue
		}
		got := readSafely(c.text(), menus[c.Menu], c.how())
		reached := got.equal(c.Expect) || slices.ContainsFunc(c.Also, got.equal)
		reason, waits := waiting[c.ID]
		switch {
		case got.equal(c.Expect):
			exact[c.file]++
		case reached:
			others = append(others, fmt.Sprintf("%s %s, not %s", c.ID, got, c.Expect))
		case got.Error == "":
			t.Errorf("%s: WRONG PICK %s; want %s (%s)\n%.300q", c.ID, got, c.Expect, c.Why, c.text())
		case !waits:
			t.Errorf("%s: %s; want %s (%s)\n%.300q", c.ID, got, c.Expect, c.Why, c.text())
		}
		if waits && reached {
			t.Errorf("%s is reached; it need not wait any more (%s)", c.ID, reason)
		}
	}
	for id := range waiting {
		if !seen[id] {
			t.Errorf("%s waits, and there is no such reply", id)
		}
	}
	checkFloor(t, exact, others)
}

func checkFloor(t *testing.T, exact map[string]int, others []string) {
	t.Helper()
	for file, floor := range exactReplies {
		if exact[file] < floor {
			t.Errorf("%s: %d replies are read exactly, at least %d were before", file, exact[file], floor)
		}
	}
	for file := range exact {
		if _, ok := exactReplies[file]; !ok {
			t.Errorf("%s has no floor", file)
		}
	}
	t.Logf("exact: %v; otherwise accepted:\n%s", exact, strings.Join(others, "\n"))
}

// TestCorpusReadLeniently reads the strict cases once more, leniently. What comes is the strict outcome, an error, or a pick that differs
// from what is written by liberties of the lenient reading alone, all of them declared.
func TestCorpusReadLeniently(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, c := range corpusReplies(t) {
		if c.Mode == "lenient" {
			continue
		}
		how := c.how()
		how.Lenient = true
		got := readSafely(c.text(), menus[c.Menu], how)
		if got.Error != "" || got.equal(c.Expect) || slices.ContainsFunc(c.Also, got.equal) {
			continue
		}
		if err := onlyLiberties(c, menus[c.Menu], how); err != nil {
			t.Errorf("%s: WRONG PICK %s, read leniently; want %s: %v (%s)\n%.300q", c.ID, got, c.Expect, err, c.Why, c.text())
		}
	}
}

// TestCorpusKnownToBeCut reads every case once more as a reply that was cut. That makes a reader stricter: what comes is the outcome
// of the case, or an error.
func TestCorpusKnownToBeCut(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, c := range corpusReplies(t) {
		how := c.how()
		how.Cut = true
		got := readSafely(c.text(), menus[c.Menu], how)
		if got.Error == "" && !got.equal(c.Expect) && !slices.ContainsFunc(c.Also, got.equal) {
			t.Errorf("%s: WRONG PICK %s, known to be cut; want %s (%s)\n%.300q", c.ID, got, c.Expect, c.Why, c.text())
		}
	}
}

// onlyLiberties says what the lenient reading changed without saying so, or without leave.
func onlyLiberties(c corpusReply, options []registry.Option, how Reading) error {
	mendable := []validate.Kind{validate.TypeMismatch, validate.EnumViolation, validate.UnknownCall, validate.BadArgs}
	if !slices.Contains(mendable, c.Expect.Error) {
		return fmt.Errorf("no liberty mends %s", c.Expect.Error)
	}
	lenient, err := Parse(c.text(), options, how)
	if err != nil {
		return err
	}
	took := slices.DeleteFunc(slices.Clone(lenient.Liberties), isRepair)
	if len(took) == 0 {
		return fmt.Errorf("no liberty is declared")
	}
	how.Lenient = false
	strict, err := Parse(c.text(), options, how)
	switch {
	case err != nil && !slices.Contains(took, FoldedName) && !slices.Contains(took, OneItemList):
		return fmt.Errorf("liberties %v do not mend: %w", took, err)
	case err != nil:
		return nil // the names and the list have twins of their own
	case strict.Name != lenient.Name:
		return fmt.Errorf("another option, though the name as written is one")
	}
	return spellsSame(anyJSON(string(strict.Args)), anyJSON(string(lenient.Args)))
}

func anyJSON(raw string) any {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil
	}
	return v
}

// spellsSame says where a value is read as something that it is not another spelling of.
func spellsSame(written, read any) error {
	switch read := read.(type) {
	case map[string]any:
		if list, ok := written.([]any); ok && len(list) == 1 {
			written = list[0]
		}
		if text, ok := written.(string); ok {
			written = anyJSON(text)
		}
		object, _ := written.(map[string]any)
		for key := range read {
			if err := spellsSame(object[key], read[key]); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		if len(object) == len(read) {
			return nil
		}
	case []any:
		if text, ok := written.(string); ok {
			written = anyJSON(text)
		}
		list, ok := written.([]any)
		if !ok || len(list) != len(read) {
			break
		}
		for i := range read {
			if err := spellsSame(list[i], read[i]); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	default:
		a, b := fmt.Sprint(written), fmt.Sprint(read)
		if sameFolded(a, b) || byValue(json.RawMessage(a)) == byValue(json.RawMessage(b)) {
			return nil
		}
	}
	return fmt.Errorf("%v is read as %v", written, read)
}

// sameFolded compares without case, blanks and dashes.
func sameFolded(a, b string) bool {
	bare := strings.NewReplacer(" ", "", "-", "", "_", "")
	return strings.EqualFold(bare.Replace(a), bare.Replace(b))
}

// readSafely makes an outcome of a panic, so that one reply does not hide the others.
func readSafely(reply string, options []registry.Option, how Reading) (got outcome) {
	defer func() {
		if p := recover(); p != nil {
			got = outcome{Error: validate.Kind(fmt.Sprintf("CRASH %v\n%s", p, debug.Stack()))}
		}
	}()
	return readOutcome(reply, options, how)
}
