package trace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Tree is what happened in one turn or one call, with what happened in the runs of it.
type Tree struct {
	Kind TreeKind `json:"kind"`

	// Of a turn.
	Turn     string `json:"turn,omitempty"` // its id
	Decision string `json:"decision,omitempty"`

	// Of an answer.
	Verdict string `json:"verdict,omitempty"` // taken, refused, recorded, not_counted

	// Of a run.
	Method string        `json:"method,omitempty"`
	State  string        `json:"state,omitempty"`
	Call   string        `json:"call,omitempty"` // the id of the call of a write
	Took   time.Duration `json:"took_ns,omitempty"`

	Record *Record `json:"record,omitempty"` // of an opening, an answer or a call
	Below  []*Tree `json:"below,omitempty"`  // in the order of their times
	More   bool    `json:"more,omitempty"`   // there are more records than are shown here; said at the top alone
}

// TreeKind says what a part of a tree is.
type TreeKind string

// The kinds of parts. Below a turn stand its opening and its answers, below an answer that was taken its run, below a run or a call what
// happened in it: calls and turns.
const (
	TreeTurn    TreeKind = "turn"
	TreeOpening TreeKind = "opening"
	TreeAnswer  TreeKind = "answer"
	TreeRun     TreeKind = "run"
	TreeCall    TreeKind = "call"
)

// Source gives records of which trees are made.
type Source interface {
	// Trace returns the record of an id. ErrNoRecord means that there is none, or no longer.
	Trace(ctx context.Context, id string) (Record, error)

	// TracesOfTurn are the newest records of a turn, at most so many, oldest first.
	TracesOfTurn(ctx context.Context, turn string, most int) ([]Record, error)

	// TracesUnder are the newest records that have a record as their root, at most so many, oldest first.
	TracesUnder(ctx context.Context, root string, most int) ([]Record, error)
}

// ErrNoRecord says that there is no record of an id, or no longer.
var ErrNoRecord = errors.New("no record of that id")

// Look says what of the records is to be seen. The zero value shows all, up to the limit.
type Look struct {
	Only func(Record) bool // those that may be seen; nil = all
	Most int               // records in one tree, the newest ones; 0 = 2,000
}

// Find returns the record of an id, and the tree that it belongs to; or, for the id or a handle of a turn, the tree of the turn alone, of the newest one
// where several turns have had that id. ErrNoRecord means that there is nothing of it to be seen.
func (l Look) Find(ctx context.Context, from Source, id string) (*Tree, *Record, error) {
	r, err := from.Trace(ctx, id)
	switch {
	case errors.Is(err, ErrNoRecord):
		t, err := l.turn(ctx, from, TurnOf(id), nil)
		return t, nil, err
	case err != nil:
		return nil, nil, err
	case !l.sees(r):
		return nil, nil, ErrNoRecord
	}
	if r.Root == "" && r.Turn != "" && r.State != opened {
		// An answer that is not tied to an opening: to no turn, or of an earlier version.
		t, err := l.turn(ctx, from, TurnOf(r.Turn), &r)
		return t, &r, err
	}
	root := cmp.Or(r.Root, r.ID)
	all, err := from.TracesUnder(ctx, root, l.most()+1)
	if err != nil {
		return nil, nil, err
	}
	if first, err := from.Trace(ctx, root); err == nil {
		all = append(all, first)
	} else if !errors.Is(err, ErrNoRecord) {
		return nil, nil, err
	}
	return l.grown(all, &r).whole(), &r, nil
}

// opened is the state of the record of an opening.
const opened = "opened"

// turn is the tree of the newest turn of an id or, where a record is given, of the one that it speaks of.
func (l Look) turn(ctx context.Context, from Source, id string, of *Record) (*Tree, error) {
	all, err := from.TracesOfTurn(ctx, id, l.most()+1)
	if err != nil {
		return nil, err
	}
	// Short ids come again: each opening begins another turn.
	var opening *Record
	end := len(all)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].State != opened || !l.sees(all[i]) {
			continue
		}
		if of == nil || !all[i].Time.After(of.Time) {
			opening, all = &all[i], slices.Clip(all[i:end])
			break
		}
		end = i
	}
	root := ""
	if opening != nil {
		root = cmp.Or(opening.Root, opening.ID)
	}
	for i := len(all) - 1; i >= 0 && root == ""; i-- { // one that was lost, or of a turn that was opened in the place of another
		root = all[i].Root
	}
	if root != "" {
		under, err := from.TracesUnder(ctx, root, l.most()+1)
		if err != nil {
			return nil, err
		}
		all = append(all, under...)
	}
	g := l.grown(all, of)
	if t := g.turns[id]; t != nil {
		t.More = g.more
		return t, nil
	}
	return nil, ErrNoRecord
}

func (l Look) sees(r Record) bool { return l.Only == nil || l.Only(r) }

func (l Look) most() int { return cmp.Or(l.Most, 2000) }

// growth is a tree on its way.
type growth struct {
	top   []*Tree          // what stands in nothing else
	holds map[string]*Tree // by the id of a record: where what happened in its run stands
	turns map[string]*Tree // by id
	more  bool
}

// grown makes a tree of records in any order, of which some may be there twice. The one that was asked for is in it, however many there are.
func (l Look) grown(all []Record, asked *Record) *growth {
	g := &growth{holds: map[string]*Tree{}, turns: map[string]*Tree{}}
	all = slices.DeleteFunc(all, func(r Record) bool { return !l.sees(r) })
	slices.SortStableFunc(all, func(a, b Record) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) })
	all = slices.CompactFunc(all, func(a, b Record) bool { return a.ID == b.ID })
	if over := len(all) - l.most(); over > 0 {
		first := all[0]
		all, g.more = all[over:], true
		for _, r := range []*Record{&first, asked} {
			if r != nil && !slices.ContainsFunc(all, func(o Record) bool { return o.ID == r.ID }) {
				all = slices.Insert(all, 0, *r)
			}
		}
	}
	parts := make([]*Tree, len(all))
	for i := range all {
		parts[i] = part(&all[i])
		g.holds[all[i].ID] = parts[i].hold()
	}
	for _, t := range parts {
		g.put(t)
	}
	return g
}

// part is one record as a part of a tree, with its run below it.
func part(r *Record) *Tree {
	switch {
	case r.Turn == "" && r.State != opened:
		return &Tree{Kind: TreeCall, Record: r}
	case r.State == opened:
		return &Tree{Kind: TreeOpening, Record: r}
	}
	t := &Tree{Kind: TreeAnswer, Record: r, Verdict: verdict(*r)}
	if r.Ran() {
		t.Below = []*Tree{{Kind: TreeRun, Method: r.Method, State: r.State, Call: r.Call, Took: r.RunTook}}
	}
	return t
}

// hold is where what happened in the run of a part stands.
func (t *Tree) hold() *Tree {
	if len(t.Below) > 0 {
		return t.Below[0]
	}
	return t
}

// verdict is what became of an answer.
func verdict(r Record) string {
	if r.Refused != "" {
		return "refused"
	}
	return outcomeOf(r)
}

// put puts a part where it belongs: what is of a turn into that, and a call or a turn into the run in which it happened.
func (g *growth) put(t *Tree) {
	if t.Kind == TreeCall {
		g.hang(t, t.Record)
		return
	}
	id := TurnOf(t.Record.Turn)
	turn := g.turns[id]
	if turn == nil {
		turn = &Tree{Kind: TreeTurn, Turn: id}
		g.turns[id] = turn
		g.hang(turn, t.Record)
	}
	turn.Decision = cmp.Or(turn.Decision, t.Record.Decision)
	turn.Below = append(turn.Below, t)
}

// hang puts a call or a turn into the run in which it happened. What has none, or one of which nothing is known, stands at the top.
func (g *growth) hang(t *Tree, r *Record) {
	if in := g.holds[r.Parent]; in != nil && r.Parent != r.ID {
		in.Below = append(in.Below, t)
		return
	}
	g.top = append(g.top, t)
}

// whole is the tree as one. Where the record that it all began with is not there, as when it still runs, the first part stands in its place.
func (g *growth) whole() *Tree {
	if len(g.top) == 0 {
		return &Tree{Kind: TreeCall, More: g.more} // parts that stand in each other
	}
	top := g.top[0]
	top.Below = append(top.Below, g.top[1:]...)
	top.More = g.more
	return top
}
