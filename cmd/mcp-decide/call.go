package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

func (a *app) callCommand() *cobra.Command {
	var args string
	cmd := &cobra.Command{
		Use:   "call METHOD [name=text | name:=json]...",
		Short: "Call a method, as a client would natively",
		Example: "  mcp-decide call count_words text='one two three'\n" +
			"  mcp-decide call count_words --args '{\"text\": \"one two three\"}'\n" +
			"  mcp-decide call count_words --args @args.json --format json",
		Args: takes(1, -1, "; mcp-decide list says what there is"),
		RunE: func(cmd *cobra.Command, words []string) error {
			return a.call(cmd.Context(), words[0], words[1:], args)
		},
	}
	cmd.Flags().StringVar(&args, "args", "", "arguments as one JSON object, as @file, or - for standard input")
	a.formatFlag(cmd)
	return cmd
}

func (a *app) call(ctx context.Context, name string, words []string, args string) error {
	asJSON, err := a.wantJSON()
	if err != nil {
		return err
	}
	a.wiring.keeps = true
	s, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	view := s.engine.View()
	m, err := methodNamed(view.Methods.Methods(), name)
	if err != nil {
		return a.fail(asJSON, failure{Error: "not_found", Message: err.Error()})
	}
	raw, err := a.inputs(ctx, words, args, m.Visible())
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	result, err := s.engine.Call(s.until(ctx), view, decide.Call{Method: name, Args: raw, Caller: self(), Path: "command"})
	if err == nil && result.State != registry.Done {
		err = failed(name, result)
	}
	if err != nil {
		return a.fail(asJSON, explain(err))
	}
	for _, path := range result.Bound.Dropped {
		a.note("%s has no parameter %s; it was left out", name, path)
	}
	if asJSON {
		return a.printJSON(called{Value: valueOf(&result), Path: "native", Args: result.Bound.Masked()})
	}
	return a.printContent(result.Content)
}

// called is what call prints in JSON.
type called struct {
	Value json.RawMessage `json:"value"`
	Path  string          `json:"path"`
	Args  json.RawMessage `json:"args"`
}

// failure is what a command prints in JSON when it came to nothing.
type failure struct {
	Error   string `json:"error"`
	Message string `json:"message"`
}

// fail prints a failure and ends the command.
func (a *app) fail(asJSON bool, f failure) error {
	if !asJSON {
		text := f.Message
		if strings.HasPrefix(text, "- ") {
			text = "not run:\n" + text
		}
		return &exitError{f.code(), errors.New(text)}
	}
	if err := a.printJSON(f); err != nil {
		return err
	}
	return &exitError{f.code(), nil}
}

// code is 3 for what is there but can't be used now, else 1.
func (f failure) code() int {
	if f.Error == "gated" {
		return exitNotAvailable
	}
	return exitRefused
}

// note says on standard error what the output can't.
func (a *app) note(format string, args ...any) {
	fmt.Fprintln(a.err, "mcp-decide:", safe(fmt.Sprintf(format, args...)))
}

// ranError is a run that did not end well.
type ranError struct {
	kind string // timeout, failed, unknown
	text string
}

func (e *ranError) Error() string { return e.text }

func failed(method string, r registry.Result) error {
	kind := "failed"
	switch {
	case r.State == registry.Running:
		// A server goes on, but a command ends.
		return &ranError{"unknown", method + " was still running when this command had to end; how far it came is not known"}
	case r.State == registry.Unknown:
		kind = "unknown"
	case errors.Is(r.Err, registry.ErrTimeout):
		kind = "timeout"
	}
	return &ranError{kind, plain(r.Content)}
}

// explain names the kind of an error, and says what to do about it.
func explain(err error) failure {
	var ran *ranError
	if errors.As(err, &ran) {
		return failure{Error: ran.kind, Message: ran.text}
	}
	f := failure{Error: decide.Kind(err), Message: err.Error()}
	var mendable interface{ Fix() string }
	if errors.As(err, &mendable) {
		f.Message = mendable.Fix()
	}
	return f
}

// valueOf is a result as one JSON value: the data where it is data, else its text, or the list of its blocks.
func valueOf(r *registry.Result) json.RawMessage {
	if len(r.Content) == 1 && r.Content[0].Type == "text" {
		text := r.Content[0].Text
		if _, isText := r.Value.(string); !isText && r.Cut == 0 && json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
		quoted, _ := encode(text)
		return quoted
	}
	blocks, err := encode(r.Content)
	if err != nil {
		return json.RawMessage("null")
	}
	return blocks
}

// printContent writes what a client would be shown: text as it is, the rest by its kind and size.
func (a *app) printContent(blocks []registry.Block) error {
	_, err := fmt.Fprintln(a.out, safe(plain(blocks)))
	return err
}

func plain(blocks []registry.Block) string {
	text := ""
	for i, b := range blocks {
		if i > 0 {
			text += "\n"
		}
		switch {
		case b.Type == "text" || b.Text != "":
			text += b.Text
		case b.URI != "" && b.Data == nil:
			text += fmt.Sprintf("[%s %s]", b.Type, b.URI)
		default:
			text += fmt.Sprintf("[%s %s, %d bytes]", b.Type, b.MIMEType, len(b.Data))
		}
	}
	return text
}
