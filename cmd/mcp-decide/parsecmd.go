package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

func (a *app) parseCommand() *cobra.Command {
	var menus, decision string
	cmd := &cobra.Command{
		Use:   "parse (--decision NAME | --menus FILE)",
		Short: "Read picks out of replies, and run nothing",
		Long: "parse reads one reply from standard input and prints the pick as one JSON object. With --menus it reads lines\n" +
			`{"id", "menu", "reply" | "parts": [[text, times], ...], "mode"?} and prints one line for each.` + "\n" +
			"The mode is strict or lenient; this version reads lenient lines as strictly as the others.",
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case (menus == "") == (decision == ""):
				return usage("parse needs --decision NAME or --menus FILE, one of them")
			case menus != "":
				return a.parseLines(cmd.Context(), menus)
			}
			return a.parseOne(cmd.Context(), decision)
		},
	}
	cmd.Flags().StringVar(&menus, "menus", "", "`file` with menus; replies come as JSON lines on standard input")
	cmd.Flags().StringVar(&decision, "decision", "", "`name` of a decision; standard input is one reply")
	missing(cmd, map[string]string{"explain": "what was skipped, and why", "lenient": "fold harmless differences"})
	return cmd
}

// parsed is one line of output: a pick, or why there is none.
type parsed struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Call     string          `json:"call,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
	Repaired *bool           `json:"repaired,omitempty"`
	Error    string          `json:"error,omitempty"`
	Message  string          `json:"message,omitempty"`
}

func (a *app) parseOne(ctx context.Context, name string) error {
	s, err := a.connect(ctx)
	if err != nil {
		return err
	}
	view := s.engine.View()
	d, err := decisionNamed(view, name)
	if err != nil {
		return &exitError{exitRefused, err}
	}
	reply, err := a.readInput(ctx)
	if err != nil {
		return &exitError{exitRefused, err}
	}
	return a.printJSON(parseReply(nil, string(reply), view.Offered(d), d.Reading))
}

func parseReply(id json.RawMessage, reply string, offered []registry.Option, r menu.Reading) parsed {
	pick, args, err := readPick(reply, offered, r)
	if err != nil {
		f := explain(err)
		return parsed{ID: id, Error: f.Error, Message: f.Message}
	}
	repaired := pick.Repaired()
	return parsed{ID: id, Call: pick.Name, Args: args, Repaired: &repaired}
}
