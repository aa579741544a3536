package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
	"pgregory.net/rapid"
)

// TestSessions runs random trees of calls in random branches of a conversation, with random ends. Whenever somebody looks, what is seen is what a plain
// reading of the rules says of what happened; nothing hidden or secret is in it; and no final status ever changes.
func TestSessions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tape := rapid.SliceOfN(rapid.Byte(), 300, 300).Draw(rt, "choices")
		var p *play
		synctest.Test(t, func(*testing.T) {
			p = newPlay(tape)
			p.all()
		})
		for _, problem := range p.problems {
			rt.Error(problem)
		}
	})
}

// all plays what the choices say.
func (p *play) all() {
	lines := []*line{{ctx: p.session(), play: p}}
	for range 1 + p.choice(8) {
		on := lines[p.choice(len(lines))]
		switch p.choice(6) {
		case 1: // two branches from what is newest in the graph
			if last := p.latest; last != nil {
				lines = append(lines, &line{ctx: p.session(), play: p, tops: last.branch()}, &line{ctx: p.session(), play: p, tops: last.branch()})
			}
		case 2:
			on.said()
		default:
			p.makeCall(on.ctx, on, nil, 3)
		}
		on.look()
		p.statusesStay()
	}
	time.Sleep(time.Minute) // what was left alone ends
	p.statusesStay()
	p.endsAs()
	for _, l := range lines {
		l.look()
	}
}

// play is what is played in one graph, and what is known of it.
type play struct {
	tape     []byte // the choices that are left; all others are 0
	mu       sync.Mutex
	problems []string

	eng    *Engine
	graph  *trace.Graph
	plans  []*plan
	events []*event // in the order of their beginnings
	byID   map[string]*event
	finals map[string]trace.Node
	latest *event // the newest at the top that is not hidden
	answer func() string
}

// plan is a call that is to be made.
type plan struct {
	at     int
	expose trace.Expose
	write  bool
	end    string
	steps  int
	within *trace.Range
	ev     *event
}

// event is something that happened.
type event struct {
	id     string // "" = nobody was told
	label  string
	kind   trace.NodeKind
	caller *event
	line   *line // where it stands at the top
	tops   []*event
	expose trace.Expose
	within *trace.Range
	seq    int
	silent bool // a model that has not answered: a history says nothing of it
	reads  bool
	ends   trace.Status
}

// branch is the conversation up to an event at the top.
func (e *event) branch() []*event { return slices.Clone(append(slices.Clone(e.tops), e)) }

func (e *event) top() *event {
	for e.caller != nil {
		e = e.caller
	}
	return e
}

// line is one session.
type line struct {
	*play
	ctx  context.Context
	tops []*event
}

func (p *play) choice(n int) int {
	if len(p.tape) == 0 {
		return 0
	}
	c := int(p.tape[0]) % n
	p.tape = p.tape[1:]
	return c
}

func (p *play) yes() bool { return p.choice(2) == 1 }

func (p *play) problem(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

func (p *play) must(err error) {
	if err != nil {
		p.problem("%v", err)
	}
}

var exposes = []trace.Expose{"", trace.ExposeIO, trace.ExposeLLM, trace.ExposeFull, trace.ExposeHidden}

const hiddenDesk = "desk-nobody-may-see"

func newPlay(tape []byte) *play {
	p := &play{tape: tape, graph: trace.NewGraph(trace.GraphLimits{}), byID: map[string]*event{}, finals: map[string]trace.Node{}}
	reg := registry.New()
	for _, e := range exposes {
		for _, effect := range []registry.Effect{registry.Read, registry.Write} {
			for i, r := range ranges {
				m := registry.Method{
					Name: methodName(e, effect, i), Summary: "A call.", Effect: effect, Expose: e, RenderRange: r, Timeout: 10 * time.Minute, Run: p.run,
					Params: []registry.Param{
						{Name: "at", Type: registry.Integer},
						{Name: "pin", Type: registry.String, Secret: true},
						{Name: "note", Type: registry.String},
						{Name: "desk", Type: registry.String, From: "caller.id"},
					},
				}
				p.must(reg.Add(m))
				m.Name, m.Timeout = m.Name+"_short", time.Second
				p.must(reg.Add(m))
			}
		}
	}
	p.eng = New(reg, Options{Picker: p})
	return p
}

var ranges = []*trace.Range{nil, {Callers: new(2)}, {Callers: new(0)}, {Subcalls: new(1)}, {Callers: new(1), Subcalls: new(2)}}

func methodName(e trace.Expose, effect registry.Effect, within int) string {
	return fmt.Sprintf("%s_%s_%d", strings.ToLower(string(e))+"x", effect, within)
}

func (p *play) session() context.Context { return WithSession(context.Background(), p.graph) }

// happens notes the beginning of something.
func (p *play) happens(kind trace.NodeKind, label string, caller *event, at *line) *event {
	e := &event{kind: kind, label: label, caller: caller, line: at, seq: len(p.events)}
	p.events = append(p.events, e)
	if caller == nil {
		e.tops = slices.Clone(at.tops)
	}
	return e
}

// stands puts an event at the end of its line.
func (p *play) stands(e *event) {
	if e.caller == nil && e.expose != trace.ExposeHidden {
		e.line.tops = append(e.line.tops, e)
		p.latest = e
	}
}

func (l *line) said() {
	e := l.happens(trace.KindUser, "?", nil, l)
	l.must(Said(l.ctx, "words of the user"))
	l.stands(e)
}

// makeCall makes a call by name or by a pick, at the top of a line or in the run of another call.
func (p *play) makeCall(ctx context.Context, l *line, caller *event, depth int) {
	q := &plan{at: len(p.plans), expose: exposes[p.choice(len(exposes))], write: p.yes()}
	p.plans = append(p.plans, q)
	ends := []string{"done", "failed", "panic", "not_run", "refused", "cancelled"}
	if q.write {
		ends = []string{"done", "failed", "panic", "not_run", "refused", "unknown", "left", "late"}
	}
	q.end = ends[p.choice(len(ends))]
	if depth > 0 && slices.Contains([]string{"done", "failed", "panic", "not_run", "unknown"}, q.end) {
		q.steps = p.choice(4)
	}
	which := p.choice(len(ranges))
	q.within = ranges[which]
	effect := registry.Read
	if q.write {
		effect = registry.Write
	}
	name := methodName(q.expose, effect, which)
	if q.end == "late" {
		name += "_short"
	}
	args := fmt.Sprintf(`{"at":%d,"pin":"pin-%d-secret","note":"of %s"}`, q.at, q.at, p.secretsAround(caller))
	if q.write && caller.mayOnlyRead() {
		q.end, q.steps = "refused", 0
	} else if q.end == "refused" {
		args = fmt.Sprintf(`{"at":%q,"pin":"pin-%d-secret","note":""}`, p.secretsAround(caller), q.at)
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	if q.end == "left" || q.end == "cancelled" {
		time.AfterFunc(100*time.Millisecond, leave)
	}
	if q.end != "refused" && q.end != "left" && p.choice(4) == 1 {
		p.pick(ctx, q, l, caller, name, args)
		return
	}
	q.ev = p.call(q, l, caller, false)
	res, err := p.eng.Call(ctx, nil, Call{Method: name, Args: json.RawMessage(args), Caller: registry.Caller{ID: hiddenDesk}})
	if q.end == "refused" {
		if err == nil {
			p.problem("%s was run: %+v", name, res)
		}
	} else if err != nil {
		p.problem("%v", err)
		return
	}
}

// mayOnlyRead reports whether a call around it is a read, which none that it makes may go beyond.
func (e *event) mayOnlyRead() bool {
	for ; e != nil; e = e.caller {
		if e.reads {
			return true
		}
	}
	return false
}

// call notes a call right before it is made.
func (p *play) call(q *plan, l *line, caller *event, picked bool) *event {
	e := p.happens(trace.KindCode, fmt.Sprint("c", q.at), caller, l)
	if q.end == "refused" {
		e.label = "?"
	}
	e.within, e.reads = q.within, !q.write
	e.ends = map[string]trace.Status{"panic": trace.StatusFailed, "refused": trace.StatusNotRun, "left": trace.StatusDone, "late": trace.StatusDone}[q.end]
	if e.ends == "" {
		e.ends = trace.Status(q.end)
	}
	if e.expose = q.expose; e.expose == "" {
		e.expose = trace.DefaultExpose(picked)
	}
	p.stands(e)
	return e
}

// pick has the picker pick a call, now and then at the second try.
func (p *play) pick(ctx context.Context, q *plan, l *line, caller *event, name, args string) {
	replies := []string{fmt.Sprintf(`{"call":"it","args":%s}`, args)}
	if p.yes() {
		replies = append([]string{"I can't say."}, replies...)
	}
	p.answer = func() string {
		reply := replies[0]
		replies = replies[1:]
		p.stands(p.happens(trace.KindLLM, "?", caller, l))
		if len(replies) == 0 {
			p.plans[q.at].ev = nil
			defer func() { q.ev = p.call(q, l, caller, true) }()
		}
		return reply
	}
	_, err := p.eng.make(ctx, Decision{Name: "make", Prompt: "Pick.", MaxRetries: 1, Options: []Option{Func("it", name)}})
	if err != nil && q.ev == nil {
		p.problem("%v", err)
	}
}

// Pick is the picker.
func (p *play) Pick(context.Context, string, []registry.Option) (string, error) {
	return p.answer(), nil
}

// secretsAround are what no graph may hold: of the calls around.
func (p *play) secretsAround(e *event) string {
	text := "pins"
	for ; e != nil; e = e.caller {
		text += " " + strings.Replace(e.label, "c", "pin-", 1) + "-secret"
	}
	return text
}

// run is the run of every method.
func (p *play) run(ctx context.Context, args registry.Args) (any, error) {
	at, _ := args["at"].(json.Number).Int64()
	q := p.plans[at]
	e := q.ev
	g, id, err := Session(ctx)
	if err != nil || g != p.graph || id == "" {
		p.problem("c%d runs in %v, node %q: %v", at, g, id, err)
	}
	p.know(id, e)
	said := fmt.Sprintf("result-%s-%d of %v by %v, %s", e.expose, at, args["pin"], args["desk"], args["note"])
	switch q.end {
	case "left":
		time.Sleep(500 * time.Millisecond)
		return said, nil
	case "late":
		time.Sleep(5 * time.Second)
		return said, nil
	case "cancelled":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for range q.steps {
		p.look(ctx, e, nil)
		switch p.choice(4) {
		case 1:
			p.ask(ctx, e, strings.TrimPrefix(said, "result-hidden-")) // which its caller may see: it counts as asked by that
		default:
			p.makeCall(ctx, nil, e, 1)
		}
	}
	p.look(ctx, e, nil)
	switch q.end {
	case "failed":
		return nil, errors.New(said)
	case "panic":
		panic(said)
	case "not_run":
		return nil, registry.NotStarted(errors.New(said))
	case "unknown":
		return nil, registry.Uncertain(errors.New(said))
	}
	return said, nil
}

// ask asks a model in a run, and now and then makes a call that it picked.
func (p *play) ask(ctx context.Context, caller *event, said string) {
	e := p.happens(trace.KindLLM, fmt.Sprint("m", len(p.events)), caller, nil)
	c, err := AskModel(ctx, "m", "A prompt with "+said)
	if err != nil {
		p.problem("%v", err)
		return
	}
	p.know(c.Node(), e)
	if e.silent = p.choice(5) == 1; e.silent {
		return
	}
	if err := c.End(trace.End{Output: "A reply with " + said}); err != nil {
		p.problem("%v", err)
	}
	if p.yes() {
		q := &plan{at: len(p.plans), end: "done"}
		p.plans = append(p.plans, q)
		q.ev = p.call(q, nil, caller, true)
		args := fmt.Sprintf(`{"at":%d,"pin":"pin-%d-secret","note":"n"}`, q.at, q.at)
		if _, err := p.eng.Call(c.Picks(ctx), nil, Call{Method: methodName("", registry.Read, 0), Args: json.RawMessage(args), Caller: registry.Caller{ID: hiddenDesk}}); err != nil {
			p.problem("%v", err)
		}
		if row, ok := p.graph.Row(p.idOf(q.ev)); ok && (!row.Tool || row.Picked != c.Node()) {
			p.problem("%s was picked by %s, the row says %+v", q.ev.label, c.Node(), row)
		}
	}
}
