package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/store"
	"github.com/mcp-decide/mcp-decide/trace"
)

func (a *app) traceShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show what happened in a turn or a call, as a tree",
		Long: "show takes the id of a record, or of a turn (k7m2, or a handle like k7m2-1). It prints the opening, the answers with what became of each, what\n" +
			"ran, and what happened in that run; for the id of a record then also all that the record says.",
		Args: takes(1, 1, "; mcp-decide trace ls says which there are"),
		RunE: func(cmd *cobra.Command, words []string) error {
			asJSON, err := a.wantJSON()
			if err != nil {
				return err
			}
			return a.overTraces(cmd.Context(), &store.Wanted{}, 0, func(ctx context.Context, s *store.Store) error {
				tree, record, err := trace.Look{}.Find(ctx, s, words[0])
				switch {
				case errors.Is(err, trace.ErrNoRecord):
					return &exitError{exitRefused, fmt.Errorf("there is no record and no turn %s, or no longer; mcp-decide trace ls says which there are", cell(words[0]))}
				case err != nil:
					return err
				case asJSON:
					return a.printJSON(tree)
				}
				fmt.Fprint(a.out, treeText(tree, time.Local))
				if record == nil {
					return nil
				}
				fmt.Fprintln(a.out)
				return a.showRecord(*record)
			})
		},
	}
	a.formatFlag(cmd)
	return cmd
}

// showRecord prints what a record says, a line for each thing, and texts that may be long behind them.
func (a *app) showRecord(r trace.Record) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, cell(value))
		}
	}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	line("id", r.ID)
	line("time", r.Time.Local().Format(time.RFC3339Nano))
	line("took", r.Took.String())
	line("state", r.State)
	line("path", r.Path)
	line("caller", r.Caller)
	line("request", r.Request)
	line("protocol", r.Era)
	line("client's trace", r.TraceParent)
	line("in the run of", r.Parent)
	line("began with", r.Root)
	line("decision", r.Decision)
	line("turn", r.Turn)
	line("option", r.Option)
	line("method", r.Method)
	for _, path := range r.Dropped {
		line("left out", path)
	}
	line("found by", r.Strategy)
	line("form", r.Form)
	line("try", number(r.Attempt))
	line("refused as", r.Refused)
	line("call", r.Call)
	if r.RunTook > 0 {
		line("run took", r.RunTook.String())
	}
	line("left out of the result", number(r.Cut))
	line("model", r.Model)
	line("tokens in", number(r.TokensIn))
	line("tokens out", number(r.TokensOut))
	line("digest of the menu", r.Menu)
	line("digest of the reply", r.ReplyDigest)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, text := range []struct{ name, value string }{{"args", string(r.Args)}, {"error", r.Error}, {"reason", r.Reason}, {"reply", r.Reply}, {"output", r.Output}} {
		if text.value != "" {
			fmt.Fprintf(a.out, "%s\n%s", text.name, block(text.value))
		}
	}
	return nil
}

// block is a foreign text under a line of ours: none of its own looks like one.
func block(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		b.WriteString("  | " + safe(strings.TrimSuffix(line, "\r")) + "\n")
	}
	return b.String()
}
