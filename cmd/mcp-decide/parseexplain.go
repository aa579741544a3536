package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// explained is what --explain adds to a line of parse.
type explained struct {
	Strategy  string         `json:"strategy,omitempty"`
	Form      string         `json:"form,omitempty"`
	Liberties []menu.Liberty `json:"liberties,omitempty"`
	Steps     []step         `json:"steps"`
	Why       string         `json:"why"`
	Gated     string         `json:"gated,omitempty"` // what a decision says to the pick instead of running it
}

// step is a stretch of the reply in bytes, and what it was taken for. The last is the outcome.
type step struct {
	From int       `json:"from"`
	To   int       `json:"to"`
	What menu.What `json:"what"`
	Why  string    `json:"why,omitempty"`
}

// explainReply is parseReply with the way there.
func explainReply(id json.RawMessage, reply string, offered []registry.Option, how menu.Reading) parsed {
	pick, steps, err := menu.Explain(reply, offered, how)
	var args json.RawMessage
	read := err == nil
	if read {
		args, err = checkPick(pick, offered, nil)
	}
	last := &steps[len(steps)-1]
	if read && err != nil {
		last.What, last.Why = menu.Nothing, unfitting(pick, err)
	}
	result := parsedPick(id, pick, args, err)
	result.explained = &explained{Why: last.Why, Steps: make([]step, len(steps))}
	for i, s := range steps {
		result.Steps[i] = step(s)
	}
	if err == nil {
		result.Strategy, result.Form, result.Liberties = string(pick.Strategy), pick.Form, pick.Liberties
		if _, gated := checkPick(pick, offered, decide.Inexact); gated != nil {
			result.Gated = explain(gated).Message
		}
	}
	return result
}

// unfitting says why a pick that was read does not fit its option.
func unfitting(pick menu.Pick, err error) string {
	why := decide.Kind(err) + fmt.Sprintf(": the pick %q was read, and does not fit", pick.Name)
	var invalid *validate.Error
	if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
		return why
	}
	why += ": " + invalid.Problems[0].String()
	if n := len(invalid.Problems) - 1; n > 0 {
		why += fmt.Sprintf(", and %d more", n)
	}
	return why
}

// printExplained writes the steps as a table, and then the outcome.
func (a *app) printExplained(reply string, p parsed) error {
	var b strings.Builder
	a.table(&b, reply, p.Steps)
	if p.Error != "" {
		fmt.Fprintf(&b, "No pick: %s\n", registry.OneLine(p.Why, maxWhy))
		fmt.Fprintf(&b, "The model would read:\n%s\n", indented(safe(p.Message)))
		_, err := a.out.Write([]byte(b.String()))
		return err
	}
	fmt.Fprintf(&b, "Pick: %s %s\n", p.Call, safe(string(p.Args)))
	last := p.Steps[len(p.Steps)-1]
	fmt.Fprintf(&b, "Why: %s (bytes %d-%d)\n", registry.OneLine(p.Why, maxWhy), last.From, last.To)
	if p.Gated != "" {
		fmt.Fprintf(&b, "It would not be run; the model would read:\n%s\n", indented(safe(p.Gated)))
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

const (
	maxWhy     = 600 // characters
	maxExcerpt = 48
)

func (a *app) table(b *strings.Builder, reply string, steps []step) {
	if len(steps) < 2 {
		return
	}
	rows := make([][3]string, len(steps)-1)
	wide := [3]int{len("BYTES"), len("WHAT"), len("TEXT")}
	for i, s := range steps[:len(steps)-1] {
		rows[i] = [3]string{fmt.Sprintf("%d-%d", s.From, s.To), string(s.What), stretch(reply[s.From:s.To])}
		for j, cell := range rows[i] {
			wide[j] = max(wide[j], utf8.RuneCountInString(cell))
		}
	}
	line := func(bytes, what, colour, text, why string) {
		row := pad(bytes, wide[0]) + "  " + a.coloured(pad(what, wide[1]), colour) + "  " + pad(text, wide[2]) + "  " + why
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	line("BYTES", "WHAT", "", "TEXT", "WHY")
	for i, row := range rows {
		line(row[0], row[1], colours[steps[i].What], row[2], registry.OneLine(steps[i].Why, maxWhy))
	}
	b.WriteByte('\n')
}

// stretch is the start and the end of a stretch, on one line.
func stretch(text string) string {
	const tail = 12
	if len(text) <= 4*maxExcerpt {
		if line := registry.OneLine(text, len(text)); utf8.RuneCountInString(line) <= maxExcerpt {
			return line
		}
	}
	start := registry.OneLine(text[:min(len(text), 4*maxExcerpt)], maxExcerpt-tail-1)
	end := []rune(registry.OneLine(text[max(0, len(text)-4*tail):], 4*tail))
	return strings.TrimSuffix(start, "…") + "…" + string(end[max(0, len(end)-tail):])
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// colours are those of a terminal.
var colours = map[menu.What]string{
	menu.Candidate: "32", menu.Mention: "33", menu.Copy: "33", menu.Remark: "36", menu.Damage: "31",
	menu.Thinking: "2", menu.Quotation: "2", menu.Data: "2", menu.Tag: "2", menu.TurnEnd: "2", menu.More: "2",
}

func (a *app) coloured(text, colour string) string {
	if colour == "" || !a.colourFor(a.outIsTTY) {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}
