package main

import (
	"context"
	"encoding/json"
	"fmt"
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
			"Turns are kept in memory in this version, so a turn ends with the command that opened it.",
		Example: "  mcp-decide decide tidy_folder path=/tmp wish='how full is it?'\n" +
			"  mcp-decide decide tidy_folder path=/tmp wish='how full is it?' --answer '{\"call\": \"leave\"}'",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			c.name, c.words = words[0], words[1:]
			return a.decide(cmd.Context(), c)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&c.answers, "answer", nil, "a reply in prose that ends in one pick, or - for standard input; more than one are given in turn")
	f.StringVar(&c.args, "args", "", "the decision's inputs as one JSON object, as @file, or - for standard input")
	f.BoolVar(&c.dry, "dry-run", false, "read and check the answer, run nothing")
	a.formatFlag(cmd)
	missing(cmd, map[string]string{"turn": "answer a turn that is open", "picker": "who picks"})
	return cmd
}

// decideCall is one run of decide.
type decideCall struct {
	name    string
	words   []string
	args    string
	answers []string
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

func (a *app) decide(ctx context.Context, c decideCall) error {
	var err error
	if c.asJSON, err = a.wantJSON(); err != nil {
		return err
	}
	s, err := a.connect(ctx)
	if err != nil {
		return err
	}
	view := s.engine.View()
	d, err := decisionNamed(view, c.name)
	if err != nil {
		return a.fail(c.asJSON, failure{Error: "not_found", Message: err.Error()})
	}
	inputs, err := a.inputs(c.words, c.args, d.Params)
	if err != nil {
		return err
	}
	if c.dry {
		return a.dryRun(view, d, c)
	}
	opened, err := s.engine.Open(ctx, view, decide.Opening{
		Decision: d, Inputs: inputs, Caller: self(), Channel: decide.Command, Full: true,
	})
	if err != nil {
		return a.fail(c.asJSON, explain(err))
	}
	if len(c.answers) == 0 {
		return a.showAsk(opened, c.asJSON)
	}
	return a.answer(ctx, s.engine, view, opened, c)
}

func (a *app) showAsk(o decide.Outcome, asJSON bool) error {
	if asJSON {
		return a.printJSON(map[string]string{"turn": o.Handle, "menu": o.Text})
	}
	_, err := fmt.Fprintln(a.out, safe(strings.TrimRight(o.Text, "\n")))
	return err
}

// answer gives the answers in turn until one is taken and the turn does not go on.
func (a *app) answer(ctx context.Context, eng *decide.Engine, view *decide.View, o decide.Outcome, c decideCall) error {
	for _, text := range c.answers {
		reply, err := a.replyText(text)
		if err != nil {
			return err
		}
		o, err = eng.Answer(ctx, view, decide.Answer{Handle: o.Handle, Text: reply, Caller: self(), Channel: decide.Command})
		if err != nil {
			return a.fail(c.asJSON, explain(err))
		}
		if o.State != decide.Open {
			break
		}
		if !c.asJSON && len(c.answers) > 1 {
			a.printStep(o)
		}
	}
	return a.printOutcome(o, c.asJSON)
}

func (a *app) printStep(o decide.Outcome) {
	fmt.Fprintln(a.out, safe(o.Text))
	if o.Result != nil {
		fmt.Fprintln(a.out, safe(plain(o.Result.Content)))
	}
	fmt.Fprintln(a.out)
}

func (a *app) printOutcome(o decide.Outcome, asJSON bool) error {
	if o.Problem != nil || o.Result == nil {
		return a.failOutcome(o, asJSON)
	}
	if o.Result.State != registry.Done {
		return a.fail(asJSON, explain(failed(*o.Result)))
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
	} else if o.State == decide.Open {
		f.Menu = o.Text
	}
	f.Turn, f.Attempts = o.Handle, o.Attempts
	return a.fail(asJSON, f)
}

func (a *app) replyText(answer string) (string, error) {
	if answer != "-" {
		return answer, nil
	}
	data, err := readAll(a.in, maxInput, "standard input")
	if err != nil {
		return "", usage("--answer: %w", err)
	}
	return string(data), nil
}

// dryRun reads and checks one answer with the same code as a real one, and runs nothing.
func (a *app) dryRun(view *decide.View, d *decide.Decision, c decideCall) error {
	if len(c.answers) != 1 {
		return usage("--dry-run needs one --answer to check")
	}
	reply, err := a.replyText(c.answers[0])
	if err != nil {
		return err
	}
	pick, args, err := readPick(reply, view.Offered(d), d.Reading)
	if err != nil {
		return a.fail(c.asJSON, explain(err))
	}
	if c.asJSON {
		return a.printJSON(decided{Call: pick.Name, Args: args, Attempts: 1, Path: "menu", DryRun: true})
	}
	_, err = fmt.Fprintf(a.out, "%s %s\nNothing was run.\n", pick.Name, safe(string(args)))
	return err
}

// readPick reads the pick out of a reply and checks it. The arguments are as read, without those that are not
// the option's; defaults are not filled in.
func readPick(reply string, offered []registry.Option, r menu.Reading) (menu.Pick, json.RawMessage, error) {
	pick, err := menu.Parse(reply, offered, r)
	if err != nil {
		return menu.Pick{}, nil, err
	}
	for _, o := range offered {
		if o.Name == pick.Name {
			bound, err := o.Method.Check(pick.Args)
			if err != nil {
				return menu.Pick{}, nil, err
			}
			args, err := asRead(pick.Args, bound)
			return pick, args, err
		}
	}
	return menu.Pick{}, nil, fmt.Errorf("the option %q is not offered", pick.Name)
}
