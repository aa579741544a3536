package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

func (a *app) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show METHOD",
		Short: "Show all views of a method side by side",
		Long: "show prints what is made of one method: its lines in the file, its JSON Schema, the native tool, the three menu\n" +
			"styles, and what a caller reads who gets its arguments wrong.",
		Args: takes(1, 1, "; mcp-decide list says what there is"),
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := a.wantJSON()
			if err != nil {
				return err
			}
			s, err := a.connectAsServed(cmd.Context())
			if err != nil {
				return err
			}
			m, err := methodNamed(s.engine.View().Methods.Methods(), args[0])
			if err != nil {
				return &exitError{exitRefused, err}
			}
			views, err := viewsOf(s, m)
			if err != nil {
				return err
			}
			if asJSON {
				object := map[string]string{}
				for _, v := range views {
					object[v.name] = v.text
				}
				return a.printJSON(object)
			}
			for _, v := range views {
				if _, err := fmt.Fprintf(a.out, "-- %s --\n%s", v.name, safe(v.text)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	a.formatFlag(cmd)
	return cmd
}

// view is one view of a method, as text that ends in a line break.
type view struct {
	name, text string
}

// viewsOf are all views of a method, in a fixed order.
func viewsOf(s *setup, m *registry.Method) ([]view, error) {
	tool, err := toolOf(s, m)
	if err != nil {
		return nil, err
	}
	option := []registry.Option{{Name: m.Name, Method: m}}
	return []view{
		{"method.yaml", excerpt(s.found, m.Name)},
		{"schema.json", indent(escaped(m.InputSchema())) + "\n"},
		{"tool.json", tool},
		{"menu.full", menu.Render(menu.Full, option)},
		{"menu.compact", menu.Render(menu.Compact, option)},
		{"menu.classic", menu.Render(menu.Classic, option)},
		{"rejected", rejections(m)},
	}, nil
}

// toolOf is the native tool of a method as a client gets it, or why there is none.
func toolOf(s *setup, m *registry.Method) (string, error) {
	if m.Off != "" {
		return "(no tool now: " + m.Off + ")\n", nil
	}
	tools, err := wireTools(s)
	if err != nil {
		return "", err
	}
	for _, raw := range tools {
		var tool struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			return "", err
		}
		if tool.Name == m.Name {
			return indent(escaped(raw)) + "\n", nil
		}
	}
	return "(no tool: it is reached through decisions alone)\n", nil
}

// excerpt is the method's lines in the file, below the key methods.
func excerpt(f *found, name string) string {
	start := 0
	for _, m := range f.file.Methods {
		if m.Name == name {
			start = m.Pos.Line
		}
	}
	lines := strings.Split(string(f.data), "\n")
	if start < 1 || start > len(lines) {
		return "(not from a file)\n"
	}
	end := start
	for i := start; i < len(lines); i++ {
		if blank(lines[i]) {
			continue
		}
		if depth(lines[i]) <= depth(lines[start-1]) {
			break
		}
		end = i + 1
	}
	return "methods:\n" + strings.Join(lines[start-1:end], "\n") + "\n"
}

// blank is a line without a key: empty, or a comment.
func blank(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

func depth(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// rejections are what a caller reads who gives nothing, everything wrong, a name that is nearly right, or a value
// that is the server's own.
func rejections(m *registry.Method) string {
	var b strings.Builder
	for _, probe := range probes(m) {
		_, err := m.Check(json.RawMessage(probe))
		if err == nil {
			continue
		}
		f := explain(err)
		fmt.Fprintf(&b, "%s\n  %s\n", probe, f.Error)
		for line := range strings.Lines(strings.TrimRight(f.Message, "\n")) {
			b.WriteString("  " + line)
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "(takes no arguments; others are left out)\n"
	}
	return b.String()
}

// probes are arguments that a checked method has to refuse.
func probes(m *registry.Method) []string {
	var wrong, near []string
	all := []string{"{}"}
	for _, p := range m.Visible() {
		wrong = append(wrong, quoted(p.Name)+": "+misfit(p))
		if len(p.Name) > 2 {
			near = append(near, quoted(p.Name+"s")+": "+misfit(p))
		}
	}
	if len(wrong) > 0 {
		all = append(all, "{"+strings.Join(wrong, ", ")+"}")
	}
	if len(near) > 0 {
		all = append(all, "{"+strings.Join(near, ", ")+"}")
	}
	for _, p := range m.Params {
		if p.Hidden() {
			all = append(all, "{"+quoted(p.Name)+`: "x"}`)
		}
	}
	return all
}

// misfit is a value that does not fit a parameter, as models write them.
func misfit(p registry.Param) string {
	switch {
	case p.Enum != nil:
		return `"something else"`
	case p.Type == registry.String:
		return "12"
	case p.Type == registry.Integer:
		return "2.5"
	case p.Type == registry.Number:
		return `"39,90 EUR"`
	case p.Type == registry.Boolean:
		return `"yes"`
	}
	return `"x"`
}

func quoted(s string) string {
	text, _ := encode(s)
	return string(text)
}
