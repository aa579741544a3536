package decide

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/trace"
)

// record hands a record to the recorder, with an id.
func (e *Engine) record(ctx context.Context, r trace.Record) {
	if e.recorder == nil {
		return
	}
	if r.ID == "" {
		r.ID = trace.NewID(r.Time)
	}
	e.recorder.Record(context.WithoutCancel(ctx), r)
}

// record writes down what an answer came to, unless its run goes on and writes it down itself.
func (r *reply) record(ctx context.Context, out Outcome, err error) {
	if r.left {
		return
	}
	rec := r.rec
	rec.Took = r.now().Sub(rec.Time)
	rec.State = string(out.State)
	if rec.Option == "" {
		rec.Option = out.Option
	}
	switch {
	case err != nil:
		rec.State, rec.Error = string(refused), inAWord(err)
	case out.Recorded:
		rec.State = "recorded"
	case out.Problem != nil:
		rec.State, rec.Error = string(refused), inAWord(out.Problem)
		if out.State == Exhausted {
			rec.State = string(Exhausted)
		}
	case out.Result != nil:
		rec.State = string(out.Result.State)
		if out.Result.Err != nil {
			rec.Error = folded(out.Result.Err.Error())
		}
	}
	r.Engine.record(ctx, rec)
}

// counted notes which of its round of tries an answer was, once that stands in the turn.
func (r *reply) counted(at attempt) {
	r.rec.Attempt = at.Number
	if p := at.Problem; p != nil {
		r.rec.Refused = cmp.Or(p.Refused, string(p.Kind))
	}
}

// inAWord is an error as a record has it: its kind, or its text where it has none.
func inAWord(err error) string {
	if kind := Kind(err); kind != refusedKind {
		return kind
	}
	return folded(err.Error())
}

// path is the way in that a channel stands for.
func path(c Channel) string {
	if c == Command {
		return "command"
	}
	return "menu"
}

// folded is foreign text as it may stand in a record.
func folded(s string) string {
	if s == "" {
		return ""
	}
	return menu.Fold(s, 2000)
}

// cut shortens text to at most n bytes, at a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}
