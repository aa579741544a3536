package config

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

func desk(t *testing.T) *File {
	t.Helper()
	data, err := os.ReadFile("testdata/good/desk.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse("desk.yaml", "/srv/desk", data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestValues: what is made of a file.
func TestValues(t *testing.T) {
	t.Parallel()
	f := desk(t)
	methods := map[string]Method{}
	var names []string
	for _, m := range f.Methods {
		methods[m.Name] = m
		names = append(names, m.Name)
	}
	lookup, refund, notes, hours, note := methods["lookup_order"], methods["issue_refund"], methods["grep_notes"], methods["opening_hours"], methods["leave_note"]
	d := f.Decisions[0]
	for _, tc := range []struct {
		name      string
		got, want any
	}{
		{"path", f.Path, "/srv/desk/desk.yaml"},
		{"server", f.Server, Server{"support-desk", "Support desk", "Settle support tickets one at a time."}},
		{"store", f.Store, "memory:"},
		{"trace", f.Trace, Trace{30 * 24 * time.Hour, "full", 500 << 20}},
		{"order of methods", names, []string{"lookup_order", "issue_refund", "count_words", "grep_notes", "first_lines", "opening_hours", "leave_note", "now"}},
		{"place", lookup.Pos, Pos{5, 3}},
		{"title", lookup.Title, "Look up an order"},
		{"description", lookup.Description, "Reads one order by its number.\n\nNothing is changed."},
		{"effects", []registry.Effect{lookup.Effect, refund.Effect, hours.Effect}, []registry.Effect{"read", "destructive", ""}},
		{"flags", []bool{lookup.OpenWorld, lookup.Idempotent, refund.Idempotent, refund.StopOnCancel, methods["first_lines"].StopOnCancel}, []bool{true, false, true, true, false}},
		{"offers", []registry.Offer{lookup.Offer, refund.Offer, hours.Offer}, []registry.Offer{"both", "menu", ""}},
		{"timeouts", []time.Duration{lookup.Timeout, refund.Timeout, hours.Timeout}, []time.Duration{5 * time.Second, 2 * time.Minute, 0}},
		{"result cap", lookup.ResultCap, 2000},
		{"rates", []registry.Rate{lookup.Rate, refund.Rate, methods["now"].Rate}, []registry.Rate{{}, {Calls: 10, Per: time.Minute}, {Unlimited: true}}},
		{"what callers see", []trace.Expose{lookup.Expose, refund.Expose}, []trace.Expose{"", trace.ExposeHidden}},
		{"what it sees itself", []*trace.Range{lookup.RenderRange, refund.RenderRange}, []*trace.Range{nil, {Callers: new(2), Subcalls: new(-1)}}},
		{"hidden parameters", []string{lookup.Params[1].From, lookup.Params[2].From}, []string{"caller.id", "env:ORDERS_TOKEN"}},
		{"optional parameter", []bool{refund.Params[1].Optional, refund.Params[2].Optional}, []bool{false, true}},
		{"result", fieldNames(lookup.Returns.Fields), []string{"order_id", "total"}},
		{"approval with a condition", *refund.Approval, registry.Approval{If: json.RawMessage(`{"amount":{"minimum":50}}`), Reason: "From 50 up a person decides."}},
		{"approval with a reason", *note.Approval, registry.Approval{Reason: "Somebody reads it first."}},
		{"approval always", *methods["now"].Approval, registry.Approval{}},
		{"approval never", methods["first_lines"].Approval == nil, true},
		{"argv", argvText(lookup.Command), []string{"order-cli", "show", "--desk", "{desk}", "{order_id}"}},
		{"inner list", argvText(refund.Command), []string{"refund-cli", "--order", "{order_id}", "--amount", "{amount}", "[--reason {reason}]"}},
		{"stdin", lookup.Command.Stdin.String(), "{token}"},
		{"no stdin", refund.Command.Stdin == nil, true},
		{"folder", lookup.Command.Cwd, "data"},
		{"environment as written", lookup.Command.Env, []EnvVar{
			{"ORDERS_TOKEN", "env:ORDERS_TOKEN", Pos{25, 13}}, {"CERT", "file:certs/desk.pem", Pos{25, 45}},
			{"LEVEL", "3", Pos{25, 74}}, {"DEBUG", "false", Pos{25, 84}}, {"NAME", "007", Pos{25, 98}},
		}},
		{"JSON output", []bool{lookup.Command.JSON, refund.Command.JSON}, []bool{true, false}},
		{"exit codes", lookup.Command.OKExit, []int{0, 3}},
		{"shell and dash", []bool{notes.Command.AllowShell, notes.Command.AllowDash, refund.Command.AllowShell, refund.Command.AllowDash}, []bool{true, true, false, false}},
		{"value", string(hours.Constant), `{"monday":[9,17.5],"note":null,"closed":false}`},
		{"kinds", []registry.Kind{lookup.Kind, hours.Kind, note.Kind}, []registry.Kind{"", registry.Value, registry.Form}},
		{"fields of a form", fieldNames(note.Params), []string{"queue", "lines", "from_whom"}},
		{"decision", []string{d.Name, d.Title, d.Summary, d.Prompt, d.OnFailure, d.Style}, []string{"handle_ticket", "Handle a ticket", "Settle one support ticket.",
			"Handle this ticket:\n{ticket}\nPick exactly one option; {{braces}} stay.", "leave_open", "compact"}},
		{"decision's settings", []any{d.None, d.MaxRetries, d.TTL}, []any{true, 2, 90 * time.Minute}},
		{"retries of none", f.Decisions[1].MaxRetries, 0},
		{"options", optionText(d.Options), []string{"look lookup_order again", "refund issue_refund", "hand_over fields queue,note", `close value {"status":"closed"}`, `leave_open value {"status":"open"}`}},
		{"options of a list", optionText(f.Decisions[1].Options), []string{"opening_hours opening_hours", "count_words count_words", `stop value "STOP"`}},
	} {
		if diff := cmp.Diff(tc.want, tc.got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.name, diff)
		}
	}
}

// TestRetriesUnlessSet: one answer more than the first may be refused.
func TestRetriesUnlessSet(t *testing.T) {
	t.Parallel()
	f, err := Parse("f", "", []byte("decisions: {d: {summary: Pick., prompt: Pick., options: {a: {value: 1, description: x}}}}"))
	if err != nil || f.Decisions[0].MaxRetries != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

func fieldNames(params []registry.Param) []string {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	return names
}

func argvText(c *Command) []string {
	var out []string
	for _, a := range c.Argv {
		if a.Group == nil {
			out = append(out, a.Template.String())
			continue
		}
		var group []string
		for _, t := range a.Group {
			group = append(group, t.String())
		}
		out = append(out, "["+strings.Join(group, " ")+"]")
	}
	return out
}

func optionText(options []Option) []string {
	var out []string
	for _, o := range options {
		text := o.Name
		switch {
		case o.Method != "":
			text += " " + o.Method
		case o.Fields != nil:
			text += " fields " + strings.Join(fieldNames(o.Fields), ",")
		default:
			text += " value " + string(o.Value)
		}
		if o.Again {
			text += " again"
		}
		out = append(out, text)
	}
	return out
}
