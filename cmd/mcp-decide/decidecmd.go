package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

func (a *app) decideCommand() *cobra.Command {
	var c decideCall
	cmd := &cobra.Command{
		Use:   "decide DECISION [name=text | name:=json]...",
		Short: "Open a decision, and answer it in the same call",
		Long: "decide opens a turn and prints its menu. With --answer it takes the reply too, reads the pick out of it and runs it.\n" +
			"With --turn it answers one that another such command has opened; with --store memory: a turn ends with the command\n" +
			"that opened it.",
		Example: "  mcp-decide decide tidy_folder path=/tmp wish='how full is it?'\n" +
			"  mcp-decide decide tidy_folder path=/tmp wish='how full is it?' --answer '{\"call\": \"leave\"}'",
		Args: takes(1, -1, "; mcp-decide list says what there is"),
		RunE: func(cmd *cobra.Command, words []string) error {
			c.name, c.words = words[0], words[1:]
			if err := c.check(); err != nil {
				return err
			}
			return a.decide(cmd.Context(), c)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&c.answers, "answer", nil, "a reply in prose that ends in one pick, or - for standard input; more than one are given in turn")
	f.StringVar(&c.args, "args", "", "the decision's inputs as one JSON object, as @file, or - for standard input")
	f.BoolVar(&c.cut, "cut", false, "the last answer was cut by a token limit, so it is read more strictly")
	f.BoolVar(&c.dry, "dry-run", false, "read and check the answer, run nothing")
	a.formatFlag(cmd)
	f.StringVar(&c.turn, "turn", "", "answer the turn of that `id`, like k7m2-1, instead of opening one")
	missing(cmd, map[string]string{"picker": "who picks"})
	return cmd
}

// check refuses what does not go together.
func (c *decideCall) check() error {
	switch {
	case c.cut && len(c.answers) == 0:
		return usage("--cut says that an answer was cut; give the answer with --answer")
	case c.turn == "":
		return nil
	case len(c.answers) == 0:
		return usage("--turn answers a turn; give the answer with --answer")
	case len(c.words) > 0 || c.args != "":
		return usage("the turn %s has its inputs; leave them out", safe(c.turn))
	case c.dry:
		return usage("--dry-run tries an answer on a turn of its own; leave --turn out")
	}
	return nil
}

// decideCall is one run of decide.
type decideCall struct {
	name    string
	turn    string // "" = one is opened
	words   []string
	args    string
	answers []string
	cut     bool
	dry     bool
	asJSON  bool
}

// decided is what decide prints in JSON when a pick ran.
type decided struct {
	Call     string          `json:"call"`
	Args     json.RawMessage `json:"args"`
	Value    json.RawMessage `json:"value,omitempty"`
	Attempts int             `json:"attempts"`
	Path     string          `json:"path"`
	DryRun   bool            `json:"dry_run,omitempty"`
}

// opened is what decide prints in JSON when no answer was given.
type opened struct {
	Turn string `json:"turn"`
	Menu string `json:"menu"`
}

// undecided is what decide prints in JSON when it came to nothing: always all of it, since programs read it.
type undecided struct {
	failure
	Turn     string `json:"turn"`     // "" = none was opened
	Menu     string `json:"menu"`     // the ask that stands; "" = the turn is over
	Attempts int    `json:"attempts"` // answers that were counted
}

// failDecision is fail, with the turn as it stands.
func (a *app) failDecision(asJSON bool, f failure, o decide.Outcome) error {
	if !asJSON {
		return a.fail(false, f)
	}
	u := undecided{failure: f, Turn: o.Handle, Attempts: o.Attempts}
	if o.State == decide.Open {
		u.Menu = o.Text
	}
	if err := a.printJSON(u); err != nil {
		return err
	}
	return &exitError{f.code(), nil}
}

func (a *app) decide(ctx context.Context, c decideCall) error {
	var err error
	if c.asJSON, err = a.wantJSON(); err != nil {
		return err
	}
	a.wiring.keeps, a.wiring.needs = !c.dry, c.turn != ""
	s, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	view := s.engine.View()
	d, err := decisionNamed(view, c.name)
	if err != nil {
		return a.failDecision(c.asJSON, failure{Error: "not_found", Message: err.Error()}, decide.Outcome{})
	}
	if c.turn != "" {
		if s.store == nil {
			return usage("turns are kept in memory and end with the command that opened them; name the store of this one with --store sqlite:PATH, or none for the one of this user")
		}
		return a.answer(ctx, s, view, decide.Outcome{Handle: c.turn}, c)
	}
	inputs, err := a.inputs(ctx, c.words, c.args, d.Params)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	open, err := s.engine.Open(ctx, view, decide.Opening{
		Decision: d, Inputs: inputs, Caller: self(), Channel: decide.Command, Full: true,
	})
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return a.failDecision(c.asJSON, explain(err), decide.Outcome{})
	}
	for _, key := range unknown(inputs, d.Params) {
		a.note("%s has no input %s; it was left out", c.name, key)
	}
	switch {
	case c.dry:
		return a.dryRun(ctx, view, d, c)
	case len(c.answers) == 0:
		return a.showAsk(open, c.asJSON)
	}
	return a.answer(ctx, s, view, open, c)
}

func (a *app) showAsk(o decide.Outcome, asJSON bool) error {
	if asJSON {
		return a.printJSON(opened{Turn: o.Handle, Menu: o.Text})
	}
	_, err := fmt.Fprintln(a.out, safe(strings.TrimRight(o.Text, "\n")))
	return err
}

// answer gives the answers in turn until one is taken and the turn does not go on.
func (a *app) answer(ctx context.Context, s *setup, view *decide.View, o decide.Outcome, c decideCall) error {
	running := s.until(ctx)
	for i, text := range c.answers {
		reply, err := a.replyText(ctx, text)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errInterrupted
		}
		left := len(c.answers) - i - 1
		next, err := s.engine.Answer(running, view, decide.Answer{
			Handle: o.Handle, Decision: c.name, Text: reply, Cut: c.cut && left == 0, Caller: self(), Channel: decide.Command,
		})
		if err != nil {
			return a.failDecision(c.asJSON, explain(err), o)
		}
		o = next
		if o.State != decide.Open {
			if left > 0 {
				a.note("the turn is over, so the last %d of %d answers were not used", left, len(c.answers))
			}
			break
		}
		if !c.asJSON && left > 0 {
			if err := a.printStep(o); err != nil {
				return err
			}
		}
	}
	return a.printOutcome(o, c.asJSON)
}

// printStep prints the outcome of an answer that others follow.
func (a *app) printStep(o decide.Outcome) error {
	fmt.Fprintln(a.err, safe(o.Text))
	if o.Result == nil {
		return nil
	}
	return a.printContent(o.Result.Content)
}

func (a *app) printOutcome(o decide.Outcome, asJSON bool) error {
	if o.Problem != nil || o.Result == nil {
		return a.failOutcome(o, asJSON)
	}
	if o.Result.State != registry.Done {
		return a.failDecision(asJSON, explain(failed(o.Method, *o.Result)), o)
	}
	if asJSON {
		return a.printJSON(decided{Call: o.Option, Args: o.Result.Bound.Masked(), Value: valueOf(o.Result), Attempts: o.Attempts, Path: "menu"})
	}
	fmt.Fprintln(a.err, safe(o.Text))
	return a.printContent(o.Result.Content)
}

func (a *app) failOutcome(o decide.Outcome, asJSON bool) error {
	f := failure{Error: "no_action", Message: o.Text}
	if o.Problem != nil {
		f = explain(o.Problem)
	}
	if !asJSON {
		f.Message = o.Text
	}
	return a.failDecision(asJSON, f, o)
}

// replyText is an answer. One without any text is an answer too, which picks nothing.
func (a *app) replyText(ctx context.Context, answer string) (string, error) {
	if answer == "-" {
		data, err := a.readInput(ctx)
		if errors.Is(err, errInterrupted) {
			return "", err
		}
		if err != nil {
			return "", usage("--answer: %w", err)
		}
		answer = string(data)
	}
	return cmp.Or(answer, "\n"), nil
}

// dryRun reads and checks one answer with the same code as a real one, and runs nothing.
func (a *app) dryRun(ctx context.Context, view *decide.View, d *decide.Decision, c decideCall) error {
	if len(c.answers) != 1 {
		return usage("--dry-run needs one --answer to check")
	}
	reply, err := a.replyText(ctx, c.answers[0])
	if err != nil {
		return err
	}
	how := d.Reading
	how.Cut = c.cut
	offered := view.Offered(d)
	pick, args, err := gatedPick(reply, offered, how, func(p menu.Pick, o registry.Option) error {
		return decide.InPlaces(decide.Inexact(p, o), reply, offered, how)
	})
	if err != nil {
		return a.failDecision(c.asJSON, explain(err), decide.Outcome{Attempts: 1})
	}
	if c.asJSON {
		return a.printJSON(decided{Call: pick.Name, Args: args, Attempts: 1, Path: "menu", DryRun: true})
	}
	_, err = fmt.Fprintf(a.out, "%s %s\nNothing was run.\n", pick.Name, safe(string(args)))
	return err
}

// readPick reads the pick out of a reply and checks it. The arguments are as read, without those that are not the option's; defaults
// are not filled in.
func readPick(reply string, offered []registry.Option, r menu.Reading) (menu.Pick, json.RawMessage, error) {
	return gatedPick(reply, offered, r, nil)
}

// gatedPick is readPick with a gate, if there is one, before the check.
func gatedPick(reply string, offered []registry.Option, r menu.Reading, gate pickGate) (menu.Pick, json.RawMessage, error) {
	pick, err := menu.Parse(reply, offered, r)
	if err != nil {
		return menu.Pick{}, nil, err
	}
	args, err := checkPick(pick, offered, gate)
	if err != nil {
		return menu.Pick{}, nil, err
	}
	return pick, args, nil
}

// pickGate says why a pick can't stand for its option.
type pickGate func(menu.Pick, registry.Option) error

// checkPick holds a pick against the gate, where there is one, and against its option, and gives its arguments as read.
func checkPick(pick menu.Pick, offered []registry.Option, gate pickGate) (json.RawMessage, error) {
	i := slices.IndexFunc(offered, func(o registry.Option) bool { return o.Name == pick.Name })
	if i < 0 {
		return nil, fmt.Errorf("the option %q is not offered", pick.Name)
	}
	if gate != nil {
		if err := gate(pick, offered[i]); err != nil {
			return nil, err
		}
	}
	bound, err := offered[i].Method.Check(pick.Args)
	if err != nil {
		return nil, err
	}
	return asRead(pick.Args, bound)
}
