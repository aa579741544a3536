package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/store"
	"github.com/mcp-decide/mcp-decide/trace"
)

func (a *app) traceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Show what happened: calls, answers, and what came of them",
		Long: "trace reads the records of what happened, which are kept in the store: your own, or the one that --store names. Those of a server\n" +
			"with --store memory: end with it.",
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.traceListCommand(), a.traceShowCommand(), a.traceExportCommand())
	return cmd
}

// wantedFlags are those by which records are chosen.
func wantedFlags(cmd *cobra.Command, w *store.Wanted, since *time.Duration) {
	f := cmd.Flags()
	f.StringVar(&w.Decision, "decision", "", "only those of the decision of that `name`")
	f.StringVar(&w.Method, "method", "", "only those of the method of that `name`")
	f.StringVar(&w.State, "state", "", "only those that ended so, like done, failed, unknown, refused, opened")
	f.StringVar(&w.Turn, "turn", "", "only those of the turn of that `id`, like k7m2 or k7m2-1")
	f.StringVar(&w.Parent, "parent", "", "only what happened in the run of the record of that `id`")
	f.StringVar(&w.Era, "era", "", "only those of requests in that `version` of the protocol, like 2026-07-28")
	f.DurationVar(since, "since", 0, "only those of so long ago or less, like 90m or 24h")
}

func (a *app) traceListCommand() *cobra.Command {
	var w store.Wanted
	var since time.Duration
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List records, the newest first",
		Args:  takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := a.wantJSON()
			if err != nil {
				return err
			}
			if w.Limit < 1 {
				return usage("--limit is %d; it is 1 or more", w.Limit)
			}
			return a.overTraces(cmd.Context(), &w, since, func(ctx context.Context, s *store.Store) error {
				records := []trace.Record{}
				err := s.Traces(ctx, w, func(r trace.Record) (bool, error) {
					records = append(records, r)
					return true, nil
				})
				switch {
				case err != nil:
					return err
				case asJSON:
					return a.printJSON(records)
				}
				return a.listRecords(records)
			})
		},
	}
	wantedFlags(cmd, &w, &since)
	cmd.Flags().IntVar(&w.Limit, "limit", 50, "at most so many")
	a.formatFlag(cmd)
	return cmd
}

// listRecords prints a line for each record. What is foreign in them is made visible.
func (a *app) listRecords(records []trace.Record) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TIME\tSTATE\tPATH\tWHAT\tTURN\tTOOK\tID")
	for _, r := range records {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Time.Local().Format(time.DateTime), cell(r.State), cell(r.Path), cell(whatOf(r)), dash(cell(r.Turn)),
			r.Took.Round(time.Millisecond/10), cell(r.ID))
	}
	return w.Flush()
}

// cell is foreign text as it may stand in a line of ours.
func cell(text string) string { return registry.OneLine(text, 200) }

// whatOf is what a record is about: a method, or a decision and the option that was picked.
func whatOf(r trace.Record) string {
	switch {
	case r.Decision == "":
		return dash(r.Method)
	case r.Option == "":
		return r.Decision
	}
	return r.Decision + ": " + r.Option
}

// overTraces opens the store for a look at the records that are wanted.
func (a *app) overTraces(ctx context.Context, w *store.Wanted, since time.Duration, look func(context.Context, *store.Store) error) error {
	if since < 0 {
		return usage("--since is %s; it is how long ago", since)
	}
	if since > 0 {
		w.Since = time.Now().Add(-since)
	}
	w.Turn = trace.TurnOf(w.Turn)
	return a.overStore(ctx, look)
}
