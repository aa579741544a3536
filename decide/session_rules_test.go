package decide

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/trace"
)

// The rules of what is seen, read plainly, and what is looked at whenever somebody looks.

func (l *line) look() { l.play.look(l.ctx, nil, l) }

// look compares what is seen with the rules.
func (p *play) look(ctx context.Context, frame *event, l *line) {
	messages, err := History(ctx)
	if err != nil {
		p.problem("%v", err)
		return
	}
	var got []string
	last := ""
	for _, m := range messages {
		if m.Node == last {
			continue
		}
		last = m.Node
		got = append(got, p.label(m.Node))
	}
	if diff := cmp.Diff(p.seen(frame, l), got); diff != "" {
		p.problem("seen -want +got:\n%s", diff)
	}
	p.keepsSecrets(trace.Transcript(messages))
}

// know ties a node to what happened. Runs that were left alone do that too.
func (p *play) know(id string, e *event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID[id] != nil {
		p.problems = append(p.problems, e.label+" has the node of "+p.byID[id].label)
	}
	p.byID[id], e.id = e, id
}

func (p *play) label(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e := p.byID[id]; e != nil {
		return e.label
	}
	return "?"
}

func (p *play) idOf(e *event) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return e.id
}

// seen is what the rules say.
func (p *play) seen(frame *event, l *line) []string {
	var tops []*event
	if frame == nil {
		tops = l.tops
	} else {
		tops = frame.top().tops
	}
	var outside, inside []*event
	for _, e := range p.events {
		in := frame != nil && e != frame && e.isIn(frame)
		switch {
		case !in && frame != nil && e.seq > frame.seq:
		case !slices.Contains(tops, e.top()) && (frame == nil || e.top() != frame.top()):
		case !e.isSeen(frame):
		case in || frame == nil:
			inside = append(inside, e)
		default:
			outside = append(outside, e)
		}
	}
	if frame != nil && frame.within != nil {
		if n := frame.within.Callers; n != nil {
			outside = outside[max(0, len(outside)-max(0, *n)):]
		}
		if n := frame.within.Subcalls; n != nil && *n >= 0 {
			inside = inside[max(0, len(inside)-*n):]
		}
	}
	var labels []string
	for _, e := range append(outside, inside...) {
		if !e.silent {
			labels = append(labels, e.label)
		}
	}
	return labels
}

func (e *event) isIn(frame *event) bool {
	for ; e != nil; e = e.caller {
		if e == frame {
			return true
		}
	}
	return false
}

// isSeen reports whether no call between the event and the eyes keeps it.
func (e *event) isSeen(frame *event) bool {
	switch {
	case e.expose == trace.ExposeHidden:
		return false
	case e == frame:
		return true
	case e.expose == trace.ExposeLLM:
		return false
	}
	for c := e.caller; c != nil && c != frame; c = c.caller {
		if c.expose == trace.ExposeIO && e.kind == trace.KindLLM || c.expose == trace.ExposeLLM && e.kind == trace.KindCode {
			return false
		}
	}
	return true
}

// keepsSecrets looks for what is in no history and in no row.
func (p *play) keepsSecrets(text string) {
	rows, err := json.Marshal(p.graph.Rows())
	if err != nil {
		p.problem("%v", err)
		return
	}
	for _, shown := range []string{text, string(rows)} {
		for _, secret := range []string{hiddenDesk, "-secret", "result-hidden-"} {
			if at := strings.Index(shown, secret); at >= 0 {
				p.problem("%q is shown: %s", secret, shown[max(0, at-200):at+len(secret)])
			}
		}
	}
}

// statusesStay holds all rows against what they were when they were final.
func (p *play) statusesStay() {
	for _, row := range p.graph.Rows() {
		was, ok := p.finals[row.ID]
		switch {
		case ok:
			if diff := cmp.Diff(was, row); diff != "" {
				p.problem("-was +is:\n%s", diff)
			}
		case row.Status.IsFinal():
			p.finals[row.ID] = row
		}
	}
}

// endsAs holds every call's row against how its run ended.
func (p *play) endsAs() {
	for _, e := range p.events {
		if row, ok := p.graph.Row(p.idOf(e)); ok && e.kind == trace.KindCode && row.Status != e.ends {
			p.problem("%s is %s, want %s", e.label, row.Status, e.ends)
		}
	}
}
