package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/menu"
)

func (a *app) menuCommand() *cobra.Command {
	var style string
	cmd := &cobra.Command{
		Use:   "menu DECISION",
		Short: "Print the menu of a decision",
		Args:  takes(1, 1, "; mcp-decide list says what there is"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.connectAsServed(cmd.Context())
			if err != nil {
				return err
			}
			view := s.engine.View()
			d, err := decisionNamed(view, args[0])
			if err != nil {
				return &exitError{exitRefused, err}
			}
			want := d.Style
			if style != "" {
				want = menu.Style(style)
			}
			switch want {
			case "", menu.Full, menu.Compact, menu.Classic:
			default:
				return usage("--style is %q; it is full, compact or classic", style)
			}
			a.leftOut(view, d)
			_, err = fmt.Fprint(a.out, safe(menu.Render(want, view.Offered(d))))
			return err
		},
	}
	cmd.Flags().StringVar(&style, "style", "", "full, compact or classic (default: as the decision says, else full)")
	return cmd
}

// leftOut says which options the menu does not show, and why: without it an empty menu would look like an empty decision.
func (a *app) leftOut(view *decide.View, d *decide.Decision) {
	for i := range d.Options {
		o := &d.Options[i]
		if o.Own != nil {
			continue
		}
		if m, ok := view.Methods.Find(o.Method); ok && m.Off != "" {
			a.note("the option %q is left out: %s", o.Name, m.Off)
		}
	}
}

func decisionNamed(view *decide.View, name string) (*decide.Decision, error) {
	if d, ok := view.Decision(name); ok {
		return d, nil
	}
	var names []string
	for _, d := range view.Decisions() {
		names = append(names, d.Name)
	}
	return nil, fmt.Errorf("there is no decision %q%s", name, meant(name, names))
}
