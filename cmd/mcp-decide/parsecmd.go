package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

func (a *app) parseCommand() *cobra.Command {
	var menus, decision string
	var lenient bool
	cmd := &cobra.Command{
		Use:   "parse (--decision NAME | --menus FILE)",
		Short: "Read picks out of replies, and run nothing",
		Long: "parse reads one reply from standard input and prints the pick as one JSON object. With --menus it reads lines\n" +
			`{"id", "menu", "reply" | "parts": [[text, times], ...], "mode"?} and prints one line for each.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case (menus == "") == (decision == ""):
				return usage("parse needs --decision NAME or --menus FILE, one of them")
			case menus != "":
				return a.parseLines(menus)
			}
			return a.parseOne(cmd.Context(), decision, menu.Reading{Lenient: lenient})
		},
	}
	cmd.Flags().StringVar(&menus, "menus", "", "`file` with menus; replies come as JSON lines on standard input")
	cmd.Flags().StringVar(&decision, "decision", "", "`name` of a decision; standard input is one reply")
	cmd.Flags().BoolVar(&lenient, "lenient", false, "with --decision: fold harmless differences")
	missing(cmd, map[string]string{"explain": "what was skipped, and why"})
	return cmd
}

// parsed is one line of output: a pick, or why there is none.
type parsed struct {
	ID       string          `json:"id,omitempty"`
	Call     string          `json:"call,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
	Repaired *bool           `json:"repaired,omitempty"`
	Error    string          `json:"error,omitempty"`
	Message  string          `json:"message,omitempty"`
}

func (a *app) parseOne(ctx context.Context, name string, r menu.Reading) error {
	s, err := a.connect(ctx)
	if err != nil {
		return err
	}
	view := s.engine.View()
	d, err := decisionNamed(view, name)
	if err != nil {
		return &exitError{exitRefused, err}
	}
	reply, err := readAll(a.in, maxInput, "the reply")
	if err != nil {
		return &exitError{exitRefused, err}
	}
	r.Lenient = r.Lenient || d.Reading.Lenient
	return a.printJSON(parseReply("", string(reply), view.Offered(d), r))
}

func parseReply(id, reply string, offered []registry.Option, r menu.Reading) parsed {
	pick, args, err := readPick(reply, offered, r)
	if err != nil {
		f := explain(err)
		return parsed{ID: id, Error: f.Error, Message: f.Message}
	}
	return parsed{ID: id, Call: pick.Name, Args: args, Repaired: &pick.Repaired}
}

// replyLine is one line of input.
type replyLine struct {
	ID    string            `json:"id"`
	Menu  string            `json:"menu"`
	Reply *string           `json:"reply"`
	Parts []json.RawMessage `json:"parts"`
	Mode  string            `json:"mode"`
}

// parseLines answers every line, in order, whatever is wrong with one.
func (a *app) parseLines(path string) error {
	menus, err := readMenus(path)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	in := bufio.NewReaderSize(a.in, 1<<16)
	out := bufio.NewWriter(a.out)
	for {
		line, err := readLine(in, maxInput)
		if err != nil && !errors.Is(err, errLongLine) && len(line) == 0 {
			if errors.Is(err, io.EOF) {
				return out.Flush()
			}
			return errors.Join(out.Flush(), err)
		}
		if len(bytes.TrimSpace(line)) == 0 && err == nil {
			continue
		}
		result := parsed{Error: "bad_input", Message: fmt.Sprintf("the line is longer than %d bytes", maxInput)}
		if !errors.Is(err, errLongLine) {
			result = menus.parse(line)
		}
		data, encodeErr := encode(result)
		if encodeErr != nil {
			return encodeErr
		}
		out.Write(data)
		out.WriteByte('\n')
		if in.Buffered() == 0 {
			// Somebody may wait for this answer before the next line.
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

var errLongLine = errors.New("line too long")

// readLine reads one line of at most max bytes; the rest of a longer one is passed over.
func readLine(r *bufio.Reader, max int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > max; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			return nil, errLongLine
		}
		if err != nil && len(line) > 0 {
			err = nil
		}
		return line, err
	}
}

func (menus menuSet) parse(line []byte) parsed {
	var in replyLine
	if err := json.Unmarshal(line, &in); err != nil {
		return parsed{ID: in.ID, Error: "bad_input", Message: "the line is not a JSON object with id, menu and reply: " + err.Error()}
	}
	bad := func(format string, args ...any) parsed {
		return parsed{ID: in.ID, Error: "bad_input", Message: fmt.Sprintf(format, args...)}
	}
	offered, ok := menus[in.Menu]
	if !ok {
		return bad("there is no menu %q", in.Menu)
	}
	reply, err := in.text()
	if err != nil {
		return bad("%v", err)
	}
	switch in.Mode {
	case "", "strict", "lenient":
	default:
		return bad("mode is %q; it is strict or lenient", in.Mode)
	}
	return parseReply(in.ID, reply, offered, menu.Reading{Lenient: in.Mode == "lenient"})
}

// text is the reply: given whole, or as parts that are repeated.
func (l *replyLine) text() (string, error) {
	if (l.Reply == nil) == (l.Parts == nil) {
		return "", errors.New("a line has either reply or parts")
	}
	if l.Reply != nil {
		return *l.Reply, nil
	}
	var b strings.Builder
	for i, raw := range l.Parts {
		var text string
		var times int
		if err := json.Unmarshal(raw, &[]any{&text, &times}); err != nil || times < 0 {
			return "", fmt.Errorf("parts[%d] is not [text, times]", i)
		}
		if len(text) > 0 && times > (maxInput-b.Len())/len(text) {
			return "", fmt.Errorf("the reply is longer than %d bytes", maxInput)
		}
		b.WriteString(strings.Repeat(text, times))
	}
	return b.String(), nil
}
