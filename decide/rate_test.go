package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/registry"
)

// bucket is a bucket of tokens in fractions: what a count has to be equal to.
type bucket struct {
	tokens *big.Rat
	at     time.Duration
}

func (b *bucket) take(r registry.Rate, now time.Duration) bool {
	full := big.NewRat(int64(r.Calls), 1)
	b.tokens.Add(b.tokens, new(big.Rat).Mul(full, big.NewRat(int64(now-b.at), int64(r.Per))))
	b.at = now
	if b.tokens.Cmp(full) > 0 {
		b.tokens.Set(full)
	}
	one := big.NewRat(1, 1)
	if b.tokens.Cmp(one) < 0 {
		return false
	}
	b.tokens.Sub(b.tokens, one)
	return true
}

// Counts are exact: they let through what a bucket in fractions does, each caller and method by itself. So in no window are there more
// calls than the rate has at once and what comes back in that time. Whoever waits as long as told is let through, and no shorter.
func TestRateProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(1_800_000_000, 0)
		r, now := newRates(start), time.Duration(0)
		rates, buckets, taken := map[counted]registry.Rate{}, map[counted]*bucket{}, map[counted][]time.Duration{}
		for range rapid.IntRange(1, 200).Draw(t, "calls") {
			who := counted{principal: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "who"), method: rapid.SampledFrom([]string{"m", "n"}).Draw(t, "method")}
			if buckets[who] == nil {
				rate := someRate(t)
				rates[who], buckets[who] = rate, &bucket{big.NewRat(int64(rate.Calls), 1), now}
			}
			rate := rates[who]
			if rapid.Bool().Draw(t, "later") {
				now += time.Duration(rapid.Int64Range(0, int64(rate.Per)).Draw(t, "passed"))
			}
			wait, noPlace := r.take(who, rate, start.Add(now))
			if want := buckets[who].take(rate, now); want != (wait == 0) || noPlace {
				t.Fatalf("%v at %v: wait %v, want %v", rate, now, wait, want)
			}
			if wait == 0 {
				taken[who] = append(taken[who], now)
				continue
			}
			if early, _ := r.take(who, rate, start.Add(now+wait-1)); early != 1 {
				t.Fatalf("a nanosecond before the wait is over, it is %v", early)
			}
		}
		for who, times := range taken {
			withinRate(t, rates[who], times)
		}
	})
}

func someRate(t *rapid.T) registry.Rate {
	r := registry.Rate{
		Calls: rapid.SampledFrom([]int{1, 2, 3, 7, 50, 1_000_000}).Draw(t, "calls"),
		Per:   rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour, 1_000_003}).Draw(t, "per"),
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

func withinRate(t *rapid.T, r registry.Rate, times []time.Duration) {
	for i := range times {
		for j := i; j < len(times); j++ {
			back := new(big.Int).Mul(big.NewInt(int64(r.Calls)), big.NewInt(int64(times[j]-times[i])))
			if most := int64(r.Calls) + back.Div(back, big.NewInt(int64(r.Per))).Int64(); int64(j-i+1) > most {
				t.Fatalf("%v: %d calls from %v to %v", r, j-i+1, times[i], times[j])
			}
		}
	}
}

// A clock that goes back makes nobody wait longer than the rate says, and a method whose rate changes keeps what was counted.
func TestRateOfAnotherTime(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_800_000_000, 0)
	who, slow, fast := counted{principal: "a", method: "m"}, registry.Rate{Calls: 2, Per: time.Hour}, registry.Rate{Calls: 10, Per: time.Minute}
	r := newRates(start)
	for i, step := range []struct {
		at   time.Duration
		rate registry.Rate
		wait time.Duration
	}{
		{0, slow, 0}, {0, slow, 0}, {0, slow, 30 * time.Minute},
		{-24 * time.Hour, slow, 30 * time.Minute},
		{-24*time.Hour + 30*time.Minute, slow, 0},
		{-23 * time.Hour, fast, 6 * time.Second}, // half an hour was owed, and no more than a minute can be
		{-23*time.Hour + 6*time.Second, fast, 0},
		{-23*time.Hour + 6*time.Second, slow, 0}, // and a minute of an hour is little
		{-23*time.Hour + 6*time.Second, slow, time.Minute},
	} {
		if wait, _ := r.take(who, step.rate, start.Add(step.at)); wait != step.wait {
			t.Errorf("step %d: wait %v, want %v", i, wait, step.wait)
		}
	}
}

// However many callers and methods there are, no more than 100,000 are counted. Those beyond are refused, not let through; when
// the others have had their time, they are forgotten.
func TestRatesAreBounded(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_800_000_000, 0)
	r, rate := newRates(start), registry.Rate{Calls: 1, Per: time.Minute}
	held := func() (n int) {
		for i := range r.shards {
			if n += len(r.shards[i].all); len(r.shards[i].all) != len(r.shards[i].counts) {
				t.Fatalf("shard %d lists %d and finds %d", i, len(r.shards[i].all), len(r.shards[i].counts))
			}
		}
		return n
	}
	flood := func(from, to int, at time.Duration) (refused int) {
		for i := from; i < to; i++ {
			if _, noPlace := r.take(counted{principal: fmt.Sprint(i), method: "m"}, rate, start.Add(at)); noPlace {
				refused++
			}
		}
		return refused
	}
	refused := flood(0, 150_000, 0)
	if n := held(); n > 100_000 || n+refused != 150_000 {
		t.Errorf("%d are counted, %d were refused", n, refused)
	}
	if wait, noPlace := r.take(counted{principal: "0", method: "m"}, rate, start); noPlace || wait != time.Minute {
		t.Errorf("one that is counted: wait %v, no place %v", wait, noPlace)
	}
	if refused := flood(200_000, 250_000, time.Minute+1); refused > 0 {
		t.Errorf("%d were refused when all others had had their time", refused)
	}
	if n := held(); n > 60_000 {
		t.Errorf("%d are counted, when 50,000 have called in the last minute", n)
	}
}

// limited is a world whose methods may be called so often: tag twice a minute, lookup as often as anybody likes, all others three times
// a second.
func limited(t *testing.T) *world {
	w := newWorld(t)
	methods := w.methods("")
	for i := range methods {
		switch methods[i].Name {
		case "tag":
			methods[i].Rate = registry.Rate{Calls: 2, Per: time.Minute}
		case "lookup":
			methods[i].Rate = registry.Rate{Unlimited: true}
		}
	}
	w.must(w.reg.Replace(methods))
	w.eng = New(w.reg, Options{Store: w.store, Recorder: w.trace, Config: "test", Now: w.clock.Now, Random: w.random, Rate: registry.Rate{Calls: 3, Per: time.Second}})
	w.must(w.eng.Add(ticket()))
	other := ticket()
	other.Name = "other"
	w.must(w.eng.Add(other))
	return w
}

// tooOften checks that a call was refused for its rate.
func tooOften(t *testing.T, err error, wait time.Duration, text string) {
	t.Helper()
	var no *registry.Refused
	if !errors.As(err, &no) || no.Kind != "gated" || no.RetryAfter != wait || no.Message != text {
		t.Errorf("got %+v, want a wait of %v and %q", err, wait, text)
	}
}

// K11: who floods a method is told when to come back; other methods, other callers and the same method later are not touched.
func TestRate(t *testing.T) {
	t.Parallel()
	w := limited(t)
	call := func(who, method, args string) error {
		_, err := w.eng.Call(t.Context(), nil, Call{Method: method, Args: json.RawMessage(args), Caller: registry.Caller{ID: who}})
		return err
	}
	const tagged = "tag may be called 2 times a minute by each caller. Try again in 30 s."
	for range 2 {
		w.must(call("a", "tag", ""))
	}
	for range 100 {
		tooOften(t, call("a", "tag", ""), 30*time.Second, tagged)
	}
	w.must(call("b", "tag", ""))
	for range 3 {
		w.must(call("a", "refund", `{"order":"A","amount":1}`))
	}
	tooOften(t, call("a", "refund", `{"order":"A","amount":1}`), time.Second/3+1, "refund may be called 3 times a second by each caller. Try again in 1 s.")
	for range 100 {
		w.must(call("a", "lookup", `{"order":"A"}`))
	}
	for range 10 { // what can't run is not counted
		if call("c", "refund", `{"order":"A"}`) == nil {
			t.Fatal("arguments that do not fit were taken")
		}
	}
	w.must(call("c", "refund", `{"order":"A","amount":1}`))
	w.clock.add(29 * time.Second)
	tooOften(t, call("a", "tag", ""), time.Second, "tag may be called 2 times a minute by each caller. Try again in 1 s.")
	w.clock.add(time.Second)
	w.must(call("a", "tag", ""))
	if n := w.wrote.Load(); n != 8 {
		t.Errorf("%d writes ran, want 8", n)
	}
}

// A pick that comes too often is told so and costs no try: five of them a round are free. Native calls and picks share one count, and
// an answer that is only told again is not counted.
func TestRateOfPicks(t *testing.T) {
	t.Parallel()
	w := limited(t)
	first := w.open().Handle
	w.pick(first, "tag", "")
	for range 5 {
		if out := w.pick(first, "tag", ""); out.State != Done {
			t.Fatalf("the same answer again: %+v", out)
		}
	}
	if _, err := w.call(Call{Method: "tag"}); err != nil {
		t.Fatal(err)
	}
	h := w.open().Handle
	for i := range freeSlips {
		out := w.pick(h, "tag", "")
		tooOften(t, out.Problem, 30*time.Second, "tag may be called 2 times a minute by each caller. Try again in 30 s.")
		if want := "This did not count as an answer"; out.State != Open || !strings.Contains(out.Text, want) {
			t.Errorf("refusal %d: %s, %q", i, out.State, out.Text)
		}
	}
	w.is(h, Open, 1, 2, 2)
	w.clock.add(30 * time.Second)
	if out := w.pick(h, "tag", ""); out.State != Done {
		t.Errorf("after the wait: %+v", out)
	}
	w.is(h, Done, 1, 2, 3)
}

// An option that is a decision's own runs nothing, so it may be picked as often as anybody likes. With a rate of its own it is counted
// for that decision: another one may have an option of that name.
func TestRateOfOwnOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		rate   registry.Rate
		limits bool
	}{{"none of its own", registry.Rate{}, false}, {"one of its own", registry.Rate{Calls: 3, Per: time.Second}, true}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := limited(t)
			for _, name := range []string{"one", "two"} {
				closing := Value("close", "closed")
				closing.Own.Rate = tc.rate
				filling := Schema("fill", "Fill it in.", []registry.Param{{Name: "note", Type: registry.String}})
				filling.Own.Rate = tc.rate
				w.must(w.eng.Add(Decision{Name: name, Prompt: "Pick.", Options: []Option{closing, filling}}))
			}
			pick := func(decision, option, args string) Outcome {
				v := w.eng.View()
				d, _ := v.Decision(decision)
				out, err := w.eng.Open(t.Context(), v, Opening{Decision: d, Caller: desk})
				w.must(err)
				return w.pick(out.Handle, option, args)
			}
			for option, args := range map[string]string{"close": "", "fill": `{"note":"x"}`} {
				for range 3 {
					if out := pick("one", option, args); out.State != Done {
						t.Fatalf("%+v", out)
					}
				}
				if out := pick("one", option, args); (out.State == Open) != tc.limits {
					t.Errorf("the fourth within a second: %+v", out)
				}
				if out := pick("two", option, args); out.State != Done {
					t.Errorf("another decision's: %+v", out)
				}
			}
		})
	}
}

// A call with a key runs once and is counted once, however often it is sent; one that was refused may be sent again under its key.
func TestRateOfKeys(t *testing.T) {
	t.Parallel()
	w := limited(t)
	for range 10 {
		if _, err := w.call(Call{Method: "tag", Key: "k"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.call(Call{Method: "tag"}); err != nil {
		t.Errorf("the second call: %v", err)
	}
	_, err := w.call(Call{Method: "tag", Key: "l"})
	tooOften(t, err, 30*time.Second, "tag may be called 2 times a minute by each caller. Try again in 30 s.")
	w.clock.add(30 * time.Second)
	if _, err := w.call(Call{Method: "tag", Key: "l"}); err != nil {
		t.Errorf("under the key of one that was refused: %v", err)
	}
	if n := w.wrote.Load(); n != 3 {
		t.Errorf("%d writes ran, want 3", n)
	}
}

// A method that calls another one is counted there like anybody else, also across a reload.
func TestRateOfNestedCalls(t *testing.T) {
	t.Parallel()
	w := limited(t)
	outer := registry.Method{Name: "outer", Summary: "Tags.", Rate: registry.Rate{Unlimited: true}, Run: func(ctx context.Context, _ registry.Args) (any, error) {
		_, err := w.eng.Call(ctx, nil, Call{Method: "tag", Caller: desk})
		return nil, err
	}}
	w.must(w.reg.Add(outer))
	for i, want := range []registry.State{registry.Done, registry.Done, registry.Failed} {
		if i == 1 {
			methods := []registry.Method{outer}
			for _, m := range w.reg.Snapshot().Methods() {
				if m.Name != "outer" {
					methods = append(methods, *m)
				}
			}
			w.must(w.reg.Replace(methods))
		}
		if res, err := w.call(Call{Method: "outer"}); err != nil || res.State != want {
			t.Errorf("call %d is %s (%v), want %s", i, res.State, err, want)
		}
	}
}

func BenchmarkRate(b *testing.B) {
	rate := registry.Rate{Calls: 1_000_000, Per: time.Millisecond}
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprint("token:", i)
	}
	for _, n := range []int{1, 64, 10_000} {
		b.Run(fmt.Sprint("callers_", n), func(b *testing.B) {
			r := newRates(time.Now())
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					r.take(counted{principal: names[i%n], method: "m"}, rate, time.Now())
				}
			})
		})
	}
	b.Run("always_new", func(b *testing.B) {
		start := time.Now()
		r := newRates(start)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			r.take(counted{principal: names[i%len(names)], method: names[i/len(names)%len(names)]}, rate, start.Add(time.Duration(i)*10*time.Microsecond))
		}
	})
}
