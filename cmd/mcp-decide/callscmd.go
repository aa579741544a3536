package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/store"
)

func (a *app) callsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "calls",
		Short: "Show calls that run, and settle those whose end is not known",
		Long: "calls is about methods that may change something. Each call of one is written down before it runs, and its end after it. When a\n" +
			"process is killed in between, or a connection is cut, the end is unknown: it may have run. Such a call is never run again by\n" +
			"itself, unless its method is idempotent and its client asks again. A person finds out what happened, and says so with settle.",
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.callsListCommand(), a.callsShowCommand(), a.callsSettleCommand())
	return cmd
}

func (a *app) callsListCommand() *cobra.Command {
	var w decide.WantedCalls
	var state string
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List the calls on record, the newest first: those that run, are unknown or were settled, and for a day those with a client's key",
		Args:  takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := a.wantJSON()
			if err != nil {
				return err
			}
			if w.Limit < 1 {
				return usage("--limit is %d; it is 1 or more", w.Limit)
			}
			switch w.State = registry.State(state); w.State {
			case "", registry.Running, registry.Unknown, registry.Done, registry.Failed, registry.NotRun:
			default:
				return usage("--state is %q; it is running, unknown, done, failed or not_run", state)
			}
			return a.overCalls(cmd.Context(), func(ctx context.Context, e *decide.Engine) error {
				calls, err := e.Calls(ctx, w)
				switch {
				case err != nil:
					return err
				case asJSON:
					return a.printJSON(calls)
				}
				return a.listCalls(calls)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&state, "state", "", "only those in that state: running, unknown, done, failed, not_run")
	f.StringVar(&w.Principal, "caller", "", "only those of that caller, like os:1000 or token:desk")
	f.IntVar(&w.Limit, "limit", 50, "at most so many")
	a.formatFlag(cmd)
	return cmd
}

// listCalls prints a line for each call.
func (a *app) listCalls(calls []decide.CallInfo) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BEGAN\tSTATE\tMETHOD\tCALLER\tTURN\tID")
	for _, c := range calls {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", c.Began.Local().Format(time.DateTime), c.State, cell(c.Method), cell(c.Principal), dash(cell(c.Turn)), cell(c.ID))
	}
	return w.Flush()
}

func (a *app) callsShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show one call, whole",
		Args:  takes(1, 1, "; mcp-decide calls ls says which there are"),
		RunE: func(cmd *cobra.Command, words []string) error {
			asJSON, err := a.wantJSON()
			if err != nil {
				return err
			}
			return a.overCalls(cmd.Context(), func(ctx context.Context, e *decide.Engine) error {
				calls, err := e.Calls(ctx, decide.WantedCalls{ID: words[0], Limit: 1})
				switch {
				case err != nil:
					return err
				case len(calls) == 0:
					return noCall(words[0], decide.ErrNoCall)
				case asJSON:
					return a.printJSON(calls[0])
				}
				return a.showCall(calls[0])
			})
		},
	}
	a.formatFlag(cmd)
	return cmd
}

func noCall(id string, err error) error {
	if errors.Is(err, decide.ErrNoCall) {
		err = fmt.Errorf("there is no call %s, or no longer; mcp-decide calls ls says which there are", cell(id))
	}
	return &exitError{exitRefused, err}
}

// showCall prints what is known of a call, and what can be done about it.
func (a *app) showCall(c decide.CallInfo) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, safe(value))
		}
	}
	line("id", c.ID)
	line("state", string(c.State))
	line("method", fmt.Sprintf("%s [%s]", c.Method, c.Effect))
	line("caller", c.Principal)
	line("key", c.Key)
	line("decision", c.Decision)
	line("option", c.Option)
	line("turn", c.Turn)
	line("args", string(c.Args))
	line("began", c.Began.Local().Format(time.RFC3339Nano))
	if c.Ended != nil {
		line("ended", c.Ended.Local().Format(time.RFC3339Nano))
	}
	if c.Runs > 1 {
		line("begun", fmt.Sprintf("%d times", c.Runs))
	}
	if c.State == registry.Running || c.State == registry.Unknown {
		line("its process", map[bool]string{true: "lives", false: "is gone"}[c.Alive])
	}
	line("error", c.Error)
	line("result", c.Text)
	line("settled by", c.SettledBy)
	line("why", c.Why)
	if err := w.Flush(); err != nil {
		return err
	}
	if c.Open {
		fmt.Fprintf(a.out, "\nIt is not known whether it ran to its end. Look at what it would have changed, and then say so:\n"+
			"  mcp-decide calls settle %s --as done|failed|not_run --why \"what you saw\"\n", c.ID)
	}
	return nil
}

func (a *app) callsSettleCommand() *cobra.Command {
	var as, why string
	cmd := &cobra.Command{
		Use:   "settle ID",
		Short: "Say how a call ended whose end is not known; it runs nothing",
		Long: "settle writes down what a person found out about a call whose end is not known, with who said so and why. It runs nothing. The client\n" +
			"that sends the same answer or key again is told what was said. It is refused while the process that ran the call may still tell.",
		Example: "  mcp-decide calls settle k7m2p9xtq --as done --why 'the refund is in the ledger'",
		Args:    takes(1, 1, "; mcp-decide calls ls says which there are"),
		RunE: func(cmd *cobra.Command, words []string) error {
			switch registry.State(as) {
			case registry.Done, registry.Failed, registry.NotRun:
			case "":
				return usage("say how it ended with --as done, --as failed or --as not_run")
			default:
				return usage("--as is %q; it is done, failed or not_run", as)
			}
			return a.overCalls(cmd.Context(), func(ctx context.Context, e *decide.Engine) error {
				_, err := e.Settle(ctx, decide.Settlement{Call: words[0], As: registry.State(as), By: self(), Why: why})
				if err != nil {
					return noCall(words[0], err)
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&as, "as", "", "how it ended: done, failed (it ran and failed) or not_run (it was not started)")
	f.StringVar(&why, "why", "", "how you know; it is kept with the call")
	return cmd
}

// overCalls makes an engine over the store for a look at its calls.
func (a *app) overCalls(ctx context.Context, look func(context.Context, *decide.Engine) error) error {
	return a.overStore(ctx, func(ctx context.Context, s *store.Store) error {
		log, err := a.logger()
		if err != nil {
			return err
		}
		return look(ctx, decide.New(registry.New(), decide.Options{Store: s, Recorder: s, Log: log, Now: s.Now}))
	})
}
