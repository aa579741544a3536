package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server"
)

func (a *app) listCommand() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List methods and decisions",
		Long:  "list shows what there is. With --as tools it prints the tool list as a client gets it.",
		Args:  takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := a.wantJSON()
			if err != nil {
				return err
			}
			s, err := a.connectAsServed(cmd.Context())
			if err != nil {
				return err
			}
			switch as {
			case "tools":
				return a.listTools(s)
			case "":
				return a.list(s, asJSON)
			}
			return usage("--as is %q; it is tools, or left out", as)
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "tools: the tool list as a client gets it, as JSON")
	a.formatFlag(cmd)
	missing(cmd, map[string]string{"cost": "what each costs in tokens", "why": "why each is or is not offered"})
	return cmd
}

// entry is one line of list, in JSON.
type entry struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // function, value, schema, decision
	Effect  string   `json:"effect,omitempty"`
	Offer   string   `json:"offer,omitempty"`
	Summary string   `json:"summary"`
	Options []string `json:"options,omitempty"`
	Off     string   `json:"off,omitempty"` // why it can't run now
}

func (a *app) list(s *setup, asJSON bool) error {
	entries := []entry{}
	view := s.engine.View()
	for _, m := range view.Methods.Methods() {
		entries = append(entries, entry{
			Name: m.Name, Kind: string(m.Kind), Effect: string(m.Effect), Offer: string(m.Offer), Summary: m.Summary, Off: m.Off,
		})
	}
	for _, d := range view.Decisions() {
		e := entry{Name: d.Name, Kind: "decision", Summary: d.Summary}
		for _, o := range d.Options {
			e.Options = append(e.Options, o.Name)
		}
		entries = append(entries, e)
	}
	if asJSON {
		return a.printJSON(entries)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tKIND\tEFFECT\tOFFER\tSUMMARY")
	for _, e := range entries {
		summary := e.Summary
		if e.Off != "" {
			summary += " (off: " + e.Off + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Name, e.Kind, dash(e.Effect), dash(e.Offer), safe(summary))
	}
	return w.Flush()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (a *app) listTools(s *setup) error {
	tools, err := wireTools(s)
	if err != nil {
		return err
	}
	return a.printJSON(map[string][]json.RawMessage{"tools": tools})
}

// wireTools are the tools as a client gets them.
func wireTools(s *setup) ([]json.RawMessage, error) {
	srv, err := server.New(s.engine, server.Options{Name: s.found.file.Server.Name, Version: version, Caller: registry.Caller{}, Log: s.log})
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return srv.Tools()
}
