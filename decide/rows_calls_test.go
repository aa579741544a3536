package decide

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Each row of the machine of a call.
func TestCallRows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, *processes){
		"C1 is on record before the effect":               rowC1,
		"C1 no intent, no run":                            rowC1Fails,
		"C1 reads have no row":                            rowC1Read,
		"C2 C3 C4 the end is on record":                   rowC2,
		"C2 not recorded is tried again":                  rowC2Owed,
		"C4 of a dead process":                            rowC4,
		"C5 a late result":                                rowC5,
		"C5 not once it was settled":                      rowC5Settled,
		"C6 a person says how it ended":                   rowC6,
		"C6 not while its process may tell":               rowC6Alive,
		"C6 what did not run gives its key back":          rowC6NotRun,
		"C7 an idempotent native call is begun again":     rowC7,
		"C7 an idempotent pick is begun again":            rowC7Pick,
		"C7 three times at most":                          rowC7Spent,
		"C7 not what another process is busy with":        rowC7Busy,
		"C7 not what is not idempotent":                   rowC7Never,
		"K6 the same key at once in several processes":    rowK6,
		"C7 a later run that is not begun says nothing":   rowC7NotRun,
		"C7 an intent that may be on record runs nothing": rowC7Doubtful,
		"C4 not found dead for good":                      rowC4Back,
		"K6 the same key again after a doubtful intent":   rowDoubtfulAgain,
		"K6 an id that another call has":                  rowTaken,
		"C5 while what is owed is paid":                   rowC5Owed,
		"K6 an id of a turn that comes again":             rowIDAgain,
		"C4 of a call that is gone meanwhile":             rowC4Gone,
		"K6 a key is of one caller and configuration":     rowKeyOf,
		"K6 an intent that may be on record runs nothing": rowDoubtful,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, newProcesses(t)) })
		})
	}
}

func rowC1(t *testing.T, p *processes) {
	for _, c := range []Call{{Method: "spy"}, {Method: "spy", Key: "k"}} {
		var seen CallRow
		p.must(p.reg.Replace(append(p.methods(""), registry.Method{Name: "spy", Summary: "Looks.", Effect: registry.Write, Run: func(context.Context, registry.Args) (any, error) {
			seen = p.only()
			return nil, nil
		}})))
		if _, err := p.call(c); err != nil {
			t.Fatal(err)
		}
		if seen.State != registry.Running || seen.Owner != "a" || seen.Method != "spy" || seen.Principal != desk.ID || seen.Key != c.Key {
			t.Errorf("while it ran its row was %+v", seen)
		}
		if n, want := len(p.calls(WantedCalls{})), len(c.Key); n != want {
			t.Errorf("key %q: afterwards %d calls are on record, want %d", c.Key, n, want)
		}
	}
}

func rowC1Fails(t *testing.T, p *processes) {
	p.store.fail("call")
	_, err := p.call(Call{Method: "tag"})
	if Kind(err) != "gated" || !strings.Contains(err.Error(), errDisk.Error()) || p.wrote.Load() != 0 {
		t.Errorf("got %v, %d writes", err, p.wrote.Load())
	}
	if res, err := p.call(Call{Method: "lookup", Args: json.RawMessage(order)}); err != nil || res.State != registry.Done {
		t.Errorf("a read: %+v, %v", res, err)
	}
}

func rowC1Read(t *testing.T, p *processes) {
	_, err := p.call(Call{Method: "lookup", Args: json.RawMessage(order), Key: "k"})
	p.must(err)
	if list := p.calls(WantedCalls{}); len(list) > 0 {
		t.Errorf("calls %+v", list)
	}
}

func rowC2(t *testing.T, p *processes) {
	for method, want := range map[string]struct {
		state registry.State
		kept  bool
	}{"tag": {registry.Done, true}, "tag_broken": {registry.Failed, true}, "tag_missing": {registry.NotRun, false}, "tag_killed": {registry.Unknown, true}} {
		res, err := p.call(Call{Method: method, Key: method})
		if err != nil || res.State != want.state || res.Recorded {
			t.Errorf("%s: %+v, %v", method, res, err)
		}
		var found []CallInfo
		for _, c := range p.calls(WantedCalls{}) {
			if c.Key == method {
				found = append(found, c)
			}
		}
		if len(found) == 1 != want.kept || want.kept && (found[0].State != want.state || found[0].Ended == nil) {
			t.Errorf("%s: on record is %+v", method, found)
		}
	}
}

func rowC2Owed(t *testing.T, p *processes) {
	p.store.fail("end")
	res, err := p.call(Call{Method: "tag", Key: "k"})
	if err != nil || res.State != registry.Done || !strings.Contains(res.Content[0].Text, "not recorded") {
		t.Errorf("got %+v, %v", res, err)
	}
	if r := p.only(); r.State != registry.Running {
		t.Errorf("on record is %+v", r)
	}
	p.store.fail("")
	_, err = p.eng.Tend(t.Context())
	p.must(err)
	if r := p.only(); r.State != registry.Done {
		t.Errorf("afterwards %+v", r)
	}
}

func rowC4(t *testing.T, p *processes) {
	b := p.other("b")
	p.leaves(p.eng, Call{Method: "tag_slow", Key: "k"})
	if n, err := b.Tend(t.Context()); n != 0 || err != nil {
		t.Errorf("%d reaped, %v", n, err)
	}
	p.kill("a")
	if n, err := b.Tend(t.Context()); n != 1 || err != nil {
		t.Errorf("%d reaped, %v", n, err)
	}
	if r := p.only(); r.State != registry.Unknown {
		t.Errorf("on record is %+v", r)
	}
	res, err := b.Call(t.Context(), b.View(), Call{Method: "tag_slow", Key: "k", Caller: desk})
	if err != nil || res.State != registry.Unknown || !res.Recorded || !strings.Contains(res.Content[0].Text, p.only().ID) {
		t.Errorf("the same call elsewhere: %+v, %v", res, err)
	}
	close(p.hold)
}

// rowC4Back takes a process for dead that lives, and says how its calls end afterwards.
func rowC4Back(t *testing.T, p *processes) {
	h := p.openOn(p.eng, Host).Handle
	b := p.other("b")
	var res registry.Result
	var out Outcome
	var all sync.WaitGroup
	all.Go(func() { res, _ = p.call(Call{Method: "tag_slow", Key: "k"}) })
	all.Go(func() { out = p.pick(h, "tag_slow", "") })
	synctest.Wait()
	p.kill("a")
	if n, err := b.Tend(t.Context()); n != 2 || err != nil {
		t.Errorf("%d reaped, %v", n, err)
	}
	close(p.hold)
	all.Wait()
	if res.State != registry.Done || out.State != Done {
		t.Errorf("told were %s and %s", res.State, out.State)
	}
	p.is(h, Done, 1, 2, 2)
	if r := p.only(); r.State != registry.Done {
		t.Errorf("on record is %+v", r)
	}
}

// late leaves a call unknown whose run goes on.
func late(t *testing.T, p *processes) {
	m := registry.Method{Name: "slow", Summary: "Takes its time.", Effect: registry.Write, Timeout: time.Second, Run: func(context.Context, registry.Args) (any, error) {
		<-p.hold
		return "at last", nil
	}}
	p.must(p.reg.Add(m))
	res, err := p.call(Call{Method: "slow", Key: "k"})
	if err != nil || res.State != registry.Unknown {
		t.Fatalf("got %+v, %v", res, err)
	}
	if r := p.only(); r.State != registry.Unknown || r.Released {
		t.Errorf("on record is %+v", r)
	}
}

func rowC5(t *testing.T, p *processes) {
	late(t, p)
	close(p.hold)
	synctest.Wait()
	res, err := p.call(Call{Method: "slow", Key: "k"})
	if err != nil || res.State != registry.Done || !res.Recorded || res.Content[0].Text != "at last" {
		t.Errorf("got %+v, %v", res, err)
	}
}

func rowC5Settled(t *testing.T, p *processes) {
	late(t, p)
	id := p.only().ID
	p.kill("a") // so it seems to b
	b := p.other("b")
	if _, err := b.Settle(t.Context(), Settlement{Call: id, As: registry.Failed, By: desk, Why: "looked"}); err != nil {
		t.Fatal(err)
	}
	close(p.hold)
	synctest.Wait()
	if r := p.only(); r.State != registry.Failed {
		t.Errorf("a late result changed %+v", r)
	}
}

func rowC6(t *testing.T, p *processes) {
	h := p.openOn(p.eng, Host).Handle
	p.pick(h, "tag_killed", "")
	id := p.only().ID
	for _, bad := range []Settlement{{Call: "nope", As: registry.Done}, {Call: id, As: registry.Unknown}, {Call: id, As: "yes"}, {As: registry.Done}} {
		if info, err := p.eng.Settle(t.Context(), bad); err == nil {
			t.Errorf("%+v settled: %+v", bad, info)
		}
	}
	info, err := p.eng.Settle(t.Context(), Settlement{Call: id, As: registry.Done, By: desk, Why: "it is\nin the ledger"})
	if err != nil || info.State != registry.Done || info.SettledBy != desk.ID || info.Open || strings.Contains(info.Why, "\n") {
		t.Errorf("settled: %+v, %v", info, err)
	}
	p.is(h, Done, 1, 2, 1)
	again := p.pick(h, "tag_killed", "")
	if !again.Recorded || again.State != Done || !strings.Contains(again.Result.Content[0].Text, "Settled as done by os:1000: it is") || p.wrote.Load() != 1 {
		t.Errorf("the same answer: %+v", again)
	}
	if _, err := p.eng.Settle(t.Context(), Settlement{Call: id, As: registry.Failed, By: desk}); err == nil || !strings.Contains(err.Error(), "is done") {
		t.Errorf("settled twice: %v", err)
	}
	if !slices.ContainsFunc(p.trace.List(), func(r trace.Record) bool {
		return r.Caller == desk.ID && r.Reason == "it is in the ledger" && r.State == "done" && r.Call == id
	}) {
		t.Errorf("who and why is not recorded: %+v", p.trace.List())
	}
}

func rowC6Alive(t *testing.T, p *processes) {
	late(t, p)
	settle := func() error {
		_, err := p.other("b").Settle(t.Context(), Settlement{Call: p.only().ID, As: registry.Done, By: desk})
		return err
	}
	if err := settle(); err == nil || !strings.Contains(err.Error(), "may still tell") {
		t.Errorf("while it may tell: %v", err)
	}
	p.leaves(p.eng, Call{Method: "tag_slow", Key: "l"})
	running := p.calls(WantedCalls{State: registry.Running})
	if _, err := p.eng.Settle(t.Context(), Settlement{Call: running[0].ID, As: registry.Done, By: desk}); err == nil || !strings.Contains(err.Error(), "still runs") {
		t.Errorf("while it runs: %v", err)
	}
	close(p.hold)
	synctest.Wait()
}

func rowC6NotRun(t *testing.T, p *processes) {
	_, err := p.call(Call{Method: "tag_killed", Key: "k"})
	p.must(err)
	_, err = p.eng.Settle(t.Context(), Settlement{Call: p.only().ID, As: registry.NotRun, By: desk})
	p.must(err)
	if res, err := p.call(Call{Method: "tag", Key: "k"}); err != nil || res.State != registry.Done || res.Recorded {
		t.Errorf("got %+v, %v", res, err)
	}
}

// rowC5Owed lets others pay what is owed while the late result comes.
func rowC5Owed(t *testing.T, p *processes) {
	p.must(p.reg.Add(registry.Method{Name: "slow", Summary: "Takes its time.", Effect: registry.Write, Timeout: time.Second, Run: func(context.Context, registry.Args) (any, error) {
		<-p.hold
		return "at last", nil
	}}))
	p.store.fail("end")
	if res, err := p.call(Call{Method: "slow", Key: "k"}); err != nil || res.State != registry.Unknown {
		t.Errorf("got %+v, %v", res, err)
	}
	p.store.fail("")
	close(p.hold)
	for range 3 {
		_, err := p.eng.Tend(t.Context())
		p.must(err)
	}
	synctest.Wait()
	if r := p.only(); r.State != registry.Done {
		t.Errorf("on record is %+v", r)
	}
}

// rowC4Gone lets a call end, whose process dies at that moment, while somebody looks at it.
func rowC4Gone(t *testing.T, p *processes) {
	b := p.other("b")
	for name, look := range map[string]func(id string) error{
		"the same key": func(string) error {
			_, err := b.Call(t.Context(), b.View(), Call{Method: "tag", Key: "k", Caller: desk})
			return err
		},
		"settling": func(id string) error {
			_, err := b.Settle(t.Context(), Settlement{Call: id, As: registry.Done, By: desk})
			if errors.Is(err, ErrNoCall) {
				return nil
			}
			return cmp.Or(err, errors.New("it was settled"))
		},
	} {
		row := CallRow{ID: name, Principal: desk.ID, Config: "test", Key: "k", Method: "tag", State: registry.Running, Owner: "gone", Data: []byte("{}")}
		swap := func(was CallRow, s registry.State) {
			p.must(p.store.Store.Do(t.Context(), Kill, func(tx Tx) error {
				if was.Version == 0 {
					_, _, err := tx.InsertCall(was)
					return err
				}
				next := was
				next.State = s
				_, _, err := tx.SwapCall(was, next)
				return err
			}))
		}
		swap(row, "")
		p.kill("gone")
		p.onAlive = func() { swap(p.only(), registry.NotRun); p.onAlive = nil }
		if err := look(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCallsOfProcesses: whatever processes call, die and come to, with a store that fails now and then, a key has one effect at most unless its
// method is idempotent, and what is told as done stays done.
func TestCallsOfProcesses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) { callsOfProcesses(rt, newProcesses(t)) })
	})
}

func callsOfProcesses(rt *rapid.T, p *processes) {
	close(p.hold)
	engines := map[string]*Engine{"a": p.eng}
	last := 'a'
	told := map[string]registry.State{}
	for range rapid.IntRange(1, 25).Draw(rt, "steps") {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(engines))).Draw(rt, "process")
		e := engines[name]
		switch rapid.SampledFrom([]string{"call", "call", "call", "kill", "fail", "settle", "tend"}).Draw(rt, "what") {
		case "call":
			res, err := e.Call(context.Background(), e.View(), Call{Method: "tag_killed", Key: "k", Caller: desk})
			if err == nil && told["k"] != "" && (CallRow{State: told["k"]}).Final() && res.State != told["k"] {
				rt.Fatalf("told as %s, now %s", told["k"], res.State)
			}
			if err == nil {
				told["k"] = res.State
			}
		case "kill":
			p.kill(name)
			delete(engines, name)
			last++
			engines[string(last)] = p.other(string(last))
		case "fail":
			p.store.fail(rapid.SampledFrom([]string{"", "", "call", "end"}).Draw(rt, "op"))
		case "settle":
			rows, err := p.store.Store.Calls(context.Background(), WantedCalls{})
			p.must(err)
			if len(rows) > 0 {
				if info, err := e.Settle(context.Background(), Settlement{Call: rows[0].ID, As: registry.Done, By: desk}); err == nil {
					told["k"] = info.State
				}
			}
		case "tend":
			_, _ = e.Tend(context.Background())
		}
		if n := p.wrote.Load(); n > 1 {
			rt.Fatalf("%d effects of one key", n)
		}
	}
	for name := range engines {
		p.kill(name)
	}
	p.store.fail("")
	if _, err := p.other("z").Tend(context.Background()); err != nil {
		rt.Fatal(err)
	}
	rows, err := p.store.Store.Calls(context.Background(), WantedCalls{State: registry.Running})
	if err != nil || len(rows) > 0 {
		rt.Fatalf("running without an owner: %+v, %v", rows, err)
	}
}
