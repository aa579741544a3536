package main

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

func (a *app) parseCommand() *cobra.Command {
	var c parseCall
	cmd := &cobra.Command{
		Use:   "parse (--decision NAME | --menus FILE)",
		Short: "Read picks out of replies, and run nothing",
		Long: "parse reads one reply from standard input and prints the pick as one JSON object. With --menus it reads lines\n" +
			`{"id", "menu", "reply" | "parts": [[text, times], ...], "mode"?, "cut"?} and prints one line for each.` + "\n" +
			"The mode is strict or lenient; cut is true for a reply that was cut by a token limit.\n\n" +
			"With --explain it says what every part of a reply was taken for, by its bytes, and why the outcome is what it is:\n" +
			"as a table for one reply, or in the JSON as \"strategy\", \"form\", \"liberties\", \"steps\" and \"why\".",
		Example: "  mcp-decide parse --decision tidy_folder --explain < reply.txt\n" +
			"  mcp-decide parse --menus menus.json --explain < log.jsonl",
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.lenientGiven = cmd.Flags().Changed("lenient")
			switch {
			case (c.menus == "") == (c.decision == ""):
				return usage("parse needs --decision NAME or --menus FILE, one of them")
			case c.menus != "":
				return a.parseMany(cmd, c)
			}
			return a.parseOne(cmd.Context(), c)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.menus, "menus", "", "`file` with menus; replies come as JSON lines on standard input")
	f.StringVar(&c.decision, "decision", "", "`name` of a decision; standard input is one reply")
	f.BoolVar(&c.explain, "explain", false, "say what every part of a reply was taken for, and why")
	f.BoolVar(&c.lenient, "lenient", false, "with --decision: fold harmless differences, or not with --lenient=false, whatever the file says")
	f.BoolVar(&c.cut, "cut", false, "with --decision: the reply was cut by a token limit, so it is read more strictly")
	a.formatFlag(cmd)
	f.Lookup("format").Usage = "text or json: how --explain shows one reply; all else is JSON"
	return cmd
}

// parseCall is one run of parse.
type parseCall struct {
	menus        string
	decision     string
	explain      bool
	lenient      bool
	lenientGiven bool
	cut          bool
}

// parsed is one line of output: a pick, or why there is none.
type parsed struct {
	ID       json.RawMessage `json:"id,omitempty"`
	Call     string          `json:"call,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
	Repaired *bool           `json:"repaired,omitempty"`
	Error    string          `json:"error,omitempty"`
	Message  string          `json:"message,omitempty"`
	*explained
}

// parseMany is parse with --menus, where each line says how it is read.
func (a *app) parseMany(cmd *cobra.Command, c parseCall) error {
	for _, flag := range []string{"lenient", "cut"} {
		if cmd.Flags().Changed(flag) {
			return usage(`--%s goes with --decision; with --menus a line says so itself: "mode": "lenient", "cut": true`, flag)
		}
	}
	if asJSON, err := a.wantJSON(); err != nil || !asJSON && cmd.Flags().Changed("format") {
		return cmp.Or(err, usage("--menus prints JSON lines; leave --format out, or write --format json"))
	}
	return a.parseLines(cmd.Context(), c.menus, readerOf(c.explain))
}

func (a *app) parseOne(ctx context.Context, c parseCall) error {
	asJSON, err := a.wantJSON()
	if err != nil {
		return err
	}
	s, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	view := s.engine.View()
	d, err := decisionNamed(view, c.decision)
	if err != nil {
		return &exitError{exitRefused, err}
	}
	data, err := a.readInput(ctx)
	if err != nil {
		return &exitError{exitRefused, err}
	}
	how := d.Reading
	how.Cut = c.cut
	if c.lenientGiven {
		how.Lenient = c.lenient
	}
	reply, offered := string(data), view.Offered(d)
	result := readerOf(c.explain)(nil, reply, offered, how)
	if !c.explain || asJSON {
		return a.printJSON(result)
	}
	return a.printExplained(reply, result)
}

// replyReader makes a line of output of a reply.
type replyReader func(id json.RawMessage, reply string, offered []registry.Option, how menu.Reading) parsed

// readerOf reads with or without the way there.
func readerOf(explain bool) replyReader {
	if explain {
		return explainReply
	}
	return parseReply
}

func parseReply(id json.RawMessage, reply string, offered []registry.Option, how menu.Reading) parsed {
	pick, args, err := readPick(reply, offered, how)
	return parsedPick(id, pick, args, err)
}

func parsedPick(id json.RawMessage, pick menu.Pick, args json.RawMessage, err error) parsed {
	if err != nil {
		f := explain(err)
		return parsed{ID: id, Error: f.Error, Message: f.Message}
	}
	repaired := pick.Repaired()
	return parsed{ID: id, Call: pick.Name, Args: args, Repaired: &repaired}
}
