package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

// treeText is a tree as text, a line for each part. Times stand as they were in zone at the top, and below as what had passed since.
func treeText(t *trace.Tree, zone *time.Location) string {
	p := treePrinter{zone: zone, since: beginning(t)}
	p.print(t, nil, "", "")
	if t.More {
		p.out.WriteString("There is more than is shown here; mcp-decide trace ls lists it.\n")
	}
	return p.out.String()
}

// beginning is the time of the first record of a tree.
func beginning(t *trace.Tree) time.Time {
	if t.Record != nil {
		return t.Record.Time
	}
	for _, below := range t.Below {
		if first := beginning(below); !first.IsZero() {
			return first
		}
	}
	return time.Time{}
}

type treePrinter struct {
	out   strings.Builder
	zone  *time.Location
	since time.Time
}

// print writes a part and what stands below it: its own line behind lead, and those below behind rest.
func (p *treePrinter) print(t, above *trace.Tree, lead, rest string) {
	p.out.WriteString(lead + p.line(t, above) + "\n")
	for i, below := range t.Below {
		if i < len(t.Below)-1 {
			p.print(below, t, rest+"├─ ", rest+"│  ")
			continue
		}
		p.print(below, t, rest+"└─ ", rest+"   ")
	}
}

func (p *treePrinter) line(t, above *trace.Tree) string {
	switch t.Kind {
	case trace.TreeTurn:
		return fmt.Sprintf("%s, turn %s", cell(cmp.Or(t.Decision, "an unknown decision")), cell(t.Turn))
	case trace.TreeOpening:
		return fmt.Sprintf("opened %s in %s%s", p.when(t.Record), took(t.Record.Took), by(t.Record))
	case trace.TreeAnswer:
		return p.answer(t)
	case trace.TreeRun:
		return ran("run of "+cell(t.Method), t.State, t.Took, t.Call, above.Record)
	}
	return p.call(t.Record, above)
}

// when is the time of a record: at the beginning the time of day, later what had passed since.
func (p *treePrinter) when(r *trace.Record) string {
	if r.Time.Equal(p.since) {
		return r.Time.In(p.zone).Format(time.DateTime)
	}
	return "+" + took(r.Time.Sub(p.since))
}

// by says who asked, and by which way.
func by(r *trace.Record) string {
	parts := []string{cell(r.Path)}
	if r.Request != "" {
		parts = []string{cell(r.Request)}
	}
	if r.Era != "" {
		parts = append(parts, "MCP "+cell(r.Era))
	}
	return fmt.Sprintf(", by %s (%s)", cell(cmp.Or(r.Caller, "an unknown caller")), strings.Join(parts, ", "))
}

// answer is what became of an answer to a turn.
func (p *treePrinter) answer(t *trace.Tree) string {
	r := t.Record
	var b strings.Builder
	fmt.Fprintf(&b, "answer to %s", cell(r.Turn))
	if r.Attempt > 0 {
		fmt.Fprintf(&b, ", try %d", r.Attempt)
	}
	fmt.Fprintf(&b, ", %s in %s: ", p.when(r), took(r.Took))
	switch t.Verdict {
	case "refused":
		b.WriteString("refused as " + cell(r.Refused))
		if r.Option != "" && !r.OnFailure {
			b.WriteString(", for " + cell(r.Option))
		}
		if r.OnFailure {
			b.WriteString(", and " + cell(r.Option) + " taken instead, by on_failure")
		}
		if r.State == "exhausted" {
			b.WriteString("; the tries were spent")
		}
	case trace.Taken:
		b.WriteString("taken, " + cell(cmp.Or(r.Option, r.Method)))
		if r.Strategy != "" {
			b.WriteString(", found by " + cell(r.Strategy))
		}
		if r.Repaired {
			b.WriteString(", not as it was written")
		}
	case trace.Recorded:
		b.WriteString("told again what was recorded")
	default:
		b.WriteString("not counted: " + cell(cmp.Or(r.Error, r.State)))
	}
	return b.String()
}

// call is a call by name, in a run or by itself; or an opening that came to nothing.
func (p *treePrinter) call(r *trace.Record, above *trace.Tree) string {
	if r == nil {
		return "a call of which there is no record"
	}
	who := ""
	if above == nil {
		who = by(r)
	}
	name := fmt.Sprintf("%s, %s%s", cell(cmp.Or(r.Method, r.Decision, "an unknown method")), p.when(r), who)
	switch {
	case r.Ran():
		return ran("call of "+name, r.State, cmp.Or(r.RunTook, r.Took), r.Call, r)
	case r.Method == "" && r.Decision != "":
		return fmt.Sprintf("opening of %s: %s as %s", name, cell(r.State), cell(cmp.Or(r.Error, "nothing")))
	case r.State == "recorded":
		return fmt.Sprintf("call of %s: told again what was recorded", name)
	}
	return fmt.Sprintf("call of %s: %s as %s", name, cell(r.State), cell(cmp.Or(r.Error, "nothing")))
}

// ran is how a run ended.
func ran(name, state string, d time.Duration, call string, r *trace.Record) string {
	line := fmt.Sprintf("%s: %s in %s", name, cell(state), took(d))
	if call != "" {
		line += ", call " + cell(call)
	}
	if r != nil && r.Error != "" && state != "done" {
		line += ": " + cell(r.Error)
	}
	return line
}

// took is a time as people read it: three digits that count.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
