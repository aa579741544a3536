package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/server"
)

func (a *app) validateCommand() *cobra.Command {
	var accepts bool
	cmd := &cobra.Command{
		Use:   "validate [FILE]",
		Short: "Check a configuration file: every problem at once, with its place and a fix",
		Long: "validate prints every problem as file:line:col: text. It exits with 0 when the file can be served and with 1\n" +
			"when it can't; warnings alone are 0. What the file may run beyond what you have accepted is a warning: serve\n" +
			"holds it back. With --accept you accept it, once nothing is wrong with the file.",
		Args: takes(0, 1, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				if a.config = args[0]; a.config == "" {
					return usage("the name of the file is empty; name one, or leave it out")
				}
			}
			if accepts && a.config == "" && !a.terminal {
				return usage("--accept is for a person who has looked at the file; name the file: mcp-decide validate --accept FILE")
			}
			return a.validate(accepts)
		},
	}
	a.formatFlag(cmd)
	cmd.Flags().BoolVar(&accepts, "accept", false, "accept what the file may run, as it stands now")
	return cmd
}

// verdict is one line of validate, in JSON.
type verdict struct {
	Level   string `json:"level"` // error, warning or accepted
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

func (a *app) validate(accepts bool) error {
	asJSON, err := a.wantJSON()
	if err != nil {
		return err
	}
	verdicts, p, err := a.inspect()
	if err != nil {
		return err
	}
	if accepts && p != nil && p.file.Path == "" {
		return usage("the built-in demo runs, and there is nothing to accept about it; name a file: mcp-decide validate --accept FILE")
	}
	if p != nil {
		more, err := a.acceptance(p, accepts)
		if err != nil {
			return err
		}
		verdicts = append(verdicts, more...)
	}
	failed := false
	for _, v := range verdicts {
		failed = failed || v.Level == "error"
	}
	if asJSON {
		if verdicts == nil {
			verdicts = []verdict{}
		}
		err = a.printJSON(verdicts)
	} else {
		for _, v := range verdicts {
			fmt.Fprintln(a.out, safe(v.String()))
		}
	}
	if failed {
		return &exitError{exitRefused, nil}
	}
	return err
}

// inspect finds all that is wrong or doubtful, and gives the plan of a file that can be served. Its error is for a file that can't be
// read at all.
func (a *app) inspect() ([]verdict, *plan, error) {
	f, err := a.find()
	if verdicts := judgeAll(err); verdicts != nil {
		return verdicts, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if f.demo {
		// Else who forgot to name a file would take the silence for its praise.
		a.note("%s", f.notice())
	}
	s, err := build(f, slog.New(slog.DiscardHandler))
	if verdicts := judgeAll(err); verdicts != nil {
		return verdicts, nil, nil
	}
	if err != nil {
		return []verdict{{Level: "error", File: cmp.Or(f.file.Path, "demo.yaml"), Message: err.Error()}}, nil, nil
	}
	var verdicts []verdict
	for _, w := range s.warnings {
		verdicts = append(verdicts, judge("warning", w))
	}
	for _, p := range slices.Concat(accessProblems(f.file), sharedProblems(f.file)) {
		verdicts = append(verdicts, judge("warning", p))
	}
	if _, err := server.New(s.engine, server.Options{Name: f.file.Server.Name, Version: version, Caller: self()}); err != nil {
		return append(verdicts, verdict{Level: "error", File: f.file.Path, Message: err.Error()}), nil, nil
	}
	return verdicts, s.plan, nil
}

// judgeAll are the problems that an error lists; nil if it lists none.
func judgeAll(err error) []verdict {
	var problems config.Errors
	if !errors.As(err, &problems) {
		return nil
	}
	var verdicts []verdict
	for _, p := range problems {
		verdicts = append(verdicts, judge("error", p))
	}
	return verdicts
}

func judge(level string, p config.Problem) verdict {
	return verdict{Level: level, File: p.File, Line: p.Pos.Line, Column: p.Pos.Col, Key: p.Key, Message: p.Message, Fix: p.Fix}
}

// String is a verdict as compilers write it.
func (v verdict) String() string {
	p := config.Problem{File: v.File, Pos: config.Pos{Line: v.Line, Col: v.Column}}
	text := place(p) + ": "
	if v.Level != "error" {
		text += v.Level + ": "
	}
	if v.Key != "" {
		text += v.Key + ": "
	}
	text += v.Message
	if v.Fix != "" {
		text += ". " + v.Fix
	}
	return text
}
