package decide

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// begin gives a record its id and its place, and returns the context of what happens in its run.
func (e *Engine) begin(ctx context.Context, r *trace.Record) context.Context {
	if e.recorder == nil {
		return ctx
	}
	r.ID = trace.NewID(r.Time)
	*r = r.In(trace.ScopeOf(ctx))
	return trace.WithScope(ctx, r.Scope())
}

// record hands a record to the recorder, with an id. A recorder that breaks does not break what is recorded.
func (e *Engine) record(ctx context.Context, r trace.Record) {
	if e.recorder == nil {
		return
	}
	if r.ID == "" {
		e.begin(ctx, &r)
	}
	defer func() {
		if broke := recover(); broke != nil {
			e.log.Error("the recorder broke, and a record is lost", "record", r.ID, "panic", fmt.Sprint(broke), "stack", string(debug.Stack()))
		}
	}()
	r.Config = cmp.Or(r.Config, e.config)
	e.recorder.Record(context.WithoutCancel(ctx), r)
}

// within ties the record of an answer to the opening of its turn, whatever request it came with.
func (r *reply) within(ctx context.Context, t *turn) context.Context {
	if r.recorder == nil {
		return ctx
	}
	r.rec.Root = cmp.Or(r.rec.Root, t.Trace)
	r.rec.TraceParent = cmp.Or(r.rec.TraceParent, t.TraceParent)
	return trace.WithScope(ctx, r.rec.Scope())
}

// keepReply keeps the reply as it came, unless it may hold a secret: that may stand anywhere in it.
func (r *reply) keepReply(d *Decision) {
	for _, o := range r.v.all(d) {
		if o.Method.Veiled() {
			return
		}
	}
	r.rec.Reply = cut(r.given(), maxReply)
}

// gave writes down what a run gave, as its caller was told. Hidden and secret values that it repeats are taken out.
func gave(rec *trace.Record, res registry.Result) {
	rec.RunTook = res.Took
	if res.Err != nil {
		rec.Error = folded(res.Err.Error())
	}
	if res.State != registry.Running {
		rec.Output = cut(res.Bound.Redact(plainText(res.Content)), trace.MaxText)
	}
}

// plainText is what a result says, with a note for each block that is no text.
func plainText(blocks []registry.Block) string {
	if len(blocks) == 1 && blocks[0].Type == "text" {
		return blocks[0].Text
	}
	var b strings.Builder
	for i, block := range blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch {
		case block.Text != "":
			b.WriteString(block.Text)
		case block.URI != "" && block.Data == nil:
			fmt.Fprintf(&b, "[%s %s]", block.Type, block.URI)
		case block.Type != "text":
			fmt.Fprintf(&b, "[%s %s, %d bytes]", block.Type, block.MIMEType, len(block.Data))
		}
	}
	return b.String()
}

// menuDigest tells texts apart that were given to pick from. They may hold inputs, so it is keyed.
func (e *Engine) menuDigest(text string) string {
	if e.recorder == nil {
		return ""
	}
	return e.mac("menu", text)
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
		gave(&rec, *out.Result)
		rec.Reason = folded(out.Result.Bound.Redact(r.a.Reason))
	}
	if err == nil && out.State == Open && out.Result == nil && !out.Recorded && out.Handle != rec.Turn {
		rec.Menu = r.menuDigest(out.Text) // another round was asked
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
