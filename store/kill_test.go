package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/store"
)

const (
	victimScenario = "STORE_TEST_SCENARIO"
	victimPoint    = "STORE_TEST_POINT" // as pointOf writes it; "" = nowhere
	victimMarks    = "STORE_TEST_MARKS"
)

// lethal is a store whose process ends, as by a kill, at one point of one of its transactions: before it, in it when all is written and
// nothing committed, or after it when nobody has been told.
type lethal struct {
	*store.Store
	n     atomic.Int64
	point string
	label func(n int64, what string)
}

func pointOf(n int64, when string) string { return fmt.Sprint(n, " ", when) }

// die ends the process if this is the point, without any of the things that an orderly end does.
func (l *lethal) die(point string) {
	if point == l.point {
		p, err := os.FindProcess(os.Getpid())
		if err == nil {
			_ = p.Kill()
		}
		select {} // until the kill is there
	}
}

func (l *lethal) Do(ctx context.Context, c decide.Class, f func(decide.Tx) error) error {
	n := l.n.Add(1)
	l.die(pointOf(n, "before"))
	var what []string
	err := l.Store.Do(ctx, c, func(tx decide.Tx) error {
		what = nil
		err := f(&watched{tx, &what})
		l.die(pointOf(n, "within"))
		return err
	})
	l.die(pointOf(n, "after"))
	if l.label != nil {
		l.label(n, strings.Join(what, ", "))
	}
	return err
}

// watched notes what a transaction does.
type watched struct {
	decide.Tx
	what *[]string
}

func (w *watched) note(format string, args ...any) {
	*w.what = append(*w.what, fmt.Sprintf(format, args...))
}

func (w *watched) InsertTurn(r decide.TurnRow) error {
	w.note("turn opened")
	return w.Tx.InsertTurn(r)
}

func (w *watched) SwapTurn(was, next decide.TurnRow) (decide.TurnRow, bool, error) {
	w.note("turn %s %d to %s %d", was.State, was.Round, next.State, next.Round)
	return w.Tx.SwapTurn(was, next)
}

func (w *watched) InsertCall(r decide.CallRow) (decide.CallRow, bool, error) {
	w.note("call begun")
	return w.Tx.InsertCall(r)
}

func (w *watched) SwapCall(was, next decide.CallRow) (decide.CallRow, bool, error) {
	w.note("call %s to %s", was.State, next.State)
	return w.Tx.SwapCall(was, next)
}

// beVictim plays a scenario until it is killed, or to its end. It prints what the client is told.
func beVictim(where store.Where) error {
	s, err := store.Open(context.Background(), where, store.Options{})
	if err != nil {
		return err
	}
	l := &lethal{Store: s, point: os.Getenv(victimPoint)}
	p, err := newPlay(l, os.Getenv(victimMarks))
	if err != nil {
		return err
	}
	p.effect = func(when string) { l.die("effect " + when) }
	l.label = func(n int64, what string) { fmt.Printf("did %d %s\n", n, what) }
	err = p.run(scenarios[os.Getenv(victimScenario)], func(line []byte) { fmt.Printf("told %s\n", line) })
	if err != nil {
		return err
	}
	return s.Close()
}

// transaction is one that a scenario makes when nobody is killed.
type transaction struct {
	n    int64
	what string
}

// victim runs a scenario in a process of its own: what it did, and what the client was told last.
func victim(t *testing.T, where, scenario, point, marks string) (did []transaction, told []byte) {
	t.Helper()
	cmd := victimCommand(t, where, scenario, point, marks)
	out, err := cmd.Output()
	killed := err != nil && cmd.ProcessState.ExitCode() < 0
	if killed != (point != "") {
		t.Fatalf("%s, %q: %v: %s", scenario, point, err, out)
	}
	return heard(t, scenario, point, out)
}

// victimCommand is a process that plays a scenario.
func victimCommand(t *testing.T, where, scenario, point, marks string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childRole+"=victim", childPath+"="+where, victimScenario+"="+scenario, victimPoint+"="+point, victimMarks+"="+marks)
	return cmd
}

// heard is what such a process has said. Its last line may have been cut off.
func heard(t *testing.T, scenario, point string, out []byte) (did []transaction, told []byte) {
	t.Helper()
	for line := range bytes.Lines(out) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		word, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		switch string(word) {
		case "told":
			told = slices.Clone(rest)
		case "did":
			var d transaction
			number, what, _ := strings.Cut(string(rest), " ")
			if _, err := fmt.Sscan(number, &d.n); err != nil {
				t.Fatal(err)
			}
			d.what = what
			did = append(did, d)
		default:
			t.Fatalf("%s, %q: the process says %s", scenario, point, line)
		}
	}
	return did, told
}

// TestKillAtEveryPoint plays every scenario once to its end, and then once for each point of each of its transactions and of its effects with a process
// that is killed there. The client goes on with another process, and repeats what it got no answer to. What it comes to has to be what it would have come
// to, but for a call that was cut in the middle, which is unknown.
func TestKillAtEveryPoint(t *testing.T) {
	t.Parallel()
	for _, kind := range places(t) {
		for name, steps := range scenarios {
			t.Run(kind.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				w := wholeOf(t, kind, name)
				if len(w.did) == 0 || len(w.told) != len(steps) {
					t.Fatalf("%d transactions, told %v", len(w.did), w.told)
				}
				points := []string{}
				for _, d := range w.did {
					for _, when := range []string{"before", "within", "after"} {
						points = append(points, pointOf(d.n, when))
					}
				}
				if strings.Contains(fmt.Sprint(w.did), "call") {
					points = append(points, "effect before", "effect after")
				}
				for _, point := range points {
					killedAt(t, kind, name, steps, point, w.did, w.told)
				}
			})
		}
	}
}

// killedAt kills a process at a point, and goes on with another one.
func killedAt(t *testing.T, kind place, scenario string, steps []string, point string, did []transaction, whole []string) {
	t.Helper()
	where, marks := kind.fresh(t), filepath.Join(t.TempDir(), "marks")
	_, told := victim(t, where, scenario, point, marks)
	s := kind.open(t, where)
	defer s.Close() // a database has only so many connections
	p, err := newPlay(s, marks)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.resume(told, steps); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(p.Told)
	if err := p.run(steps, func([]byte) {}); err != nil {
		t.Errorf("killed at %s: going on after %v: %v", nameOf(point, did), before, err)
		return
	}
	middle := isMiddle(point, did)
	idempotent := strings.HasPrefix(scenario, "idempotent")
	for i, line := range p.Told {
		want := whole[i]
		step, state, _ := strings.Cut(want, ": ")
		isUnknown := line == step+": "+string(registry.Unknown)
		if line != want && !(middle && !idempotent && isUnknown && i >= len(before) && state == string(registry.Done)) {
			t.Errorf("killed at %s, the client was told %v, and then %q, want %q", nameOf(point, did), before, line, want)
		}
		if middle && !idempotent && i == len(before) && !isUnknown && state == string(registry.Done) {
			t.Errorf("killed at %s: %q, though nobody can know", nameOf(point, did), line)
		}
	}
	most, least := strings.Count(fmt.Sprint(did), "call begun"), strings.Count(fmt.Sprint(did), "call begun")
	switch {
	case middle && idempotent:
		most++
	case middle:
		least--
	}
	if n := effects(t, marks); n > most || n < least {
		t.Errorf("killed at %s: %d effects, want %d to %d", nameOf(point, did), n, least, most)
	}
	rows, err := s.Calls(t.Context(), decide.WantedCalls{State: registry.Running})
	if err != nil || len(rows) > 0 {
		t.Errorf("killed at %s: running without an owner: %+v, %v", nameOf(point, did), rows, err)
	}
}

// TestKillAtRandom kills processes at any moment, in the middle of whatever the database or the system is doing for them, and goes on with another one. What is
// told then is what would have been told without the kill, or that it is not known; and nothing takes effect twice.
func TestKillAtRandom(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(scenarios))
	for _, kind := range places(t) {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			wholes := map[string]whole{}
			for range rounds(t, 12) {
				name := names[rand.IntN(len(names))]
				w, ok := wholes[name]
				if !ok {
					w = wholeOf(t, kind, name)
					wholes[name] = w
				}
				killedSometime(t, kind, name, w)
			}
		})
	}
}

// whole is a scenario that nobody has disturbed.
type whole struct {
	did  []transaction
	told []string
	took time.Duration
}

func wholeOf(t *testing.T, kind place, scenario string) whole {
	t.Helper()
	began := time.Now()
	did, told := victim(t, kind.fresh(t), scenario, "", filepath.Join(t.TempDir(), "marks"))
	var p play
	if err := json.Unmarshal(told, &p); err != nil {
		t.Fatal(err)
	}
	return whole{did, p.Told, time.Since(began)}
}

// killedSometime kills a process at a moment, and goes on with another one.
func killedSometime(t *testing.T, kind place, scenario string, w whole) {
	t.Helper()
	where, marks := kind.fresh(t), filepath.Join(t.TempDir(), "marks")
	cmd := victimCommand(t, where, scenario, "", marks)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(rand.N(w.took), func() { _ = cmd.Process.Kill() }) // it may have ended
	_ = cmd.Wait()
	_, told := heard(t, scenario, "", out.Bytes())
	s := kind.open(t, where)
	defer s.Close()
	p, err := newPlay(s, marks)
	if err != nil {
		t.Fatal(err)
	}
	steps := scenarios[scenario]
	if err := p.resume(told, steps); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(p.Told)
	if err := p.run(steps, func([]byte) {}); err != nil {
		t.Errorf("%s: going on after %v: %v", scenario, before, err)
		return
	}
	for i, line := range p.Told {
		step, _, _ := strings.Cut(w.told[i], ": ")
		if unknown := step + ": " + string(registry.Unknown); line != w.told[i] && (line != unknown || i < len(before) || strings.HasPrefix(scenario, "idempotent")) {
			t.Errorf("%s: the client was told %v, and then %q, want %q", scenario, before, line, w.told[i])
		}
	}
	most := strings.Count(fmt.Sprint(w.did), "call begun")
	if strings.HasPrefix(scenario, "idempotent") {
		most++
	}
	if n := effects(t, marks); n > most {
		t.Errorf("%s: %d effects, want at most %d", scenario, n, most)
	}
}

// isMiddle reports whether a call is on record at a point whose end is not: from after its intent to before its end.
func isMiddle(point string, did []transaction) bool {
	if strings.HasPrefix(point, "effect") {
		return true
	}
	var n int64
	var when string
	if _, err := fmt.Sscan(point, &n, &when); err != nil {
		return false
	}
	for _, d := range did {
		switch {
		case d.n == n && strings.Contains(d.what, "call begun"):
			return when == "after"
		case d.n == n && strings.Contains(d.what, "call running to"):
			return when != "after"
		}
	}
	return false
}

func nameOf(point string, did []transaction) string {
	for _, d := range did {
		if after, ok := strings.CutPrefix(point, fmt.Sprint(d.n, " ")); ok {
			return fmt.Sprintf("%q of transaction %d (%s)", after, d.n, d.what)
		}
	}
	return fmt.Sprintf("%q", point)
}
