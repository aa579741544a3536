package guard

import (
	"bytes"
	"log"
	"log/slog"
)

// maxErrorLine is how much of one line of net/http is logged, in bytes.
const maxErrorLine = 500

// errorLog takes what net/http has to say about connections, most of it caused by strangers, and logs some of it.
func errorLog(to *slog.Logger) *log.Logger {
	return log.New(&errorLines{to: to, quiet: newQuiet(30, 30)}, "", 0)
}

type errorLines struct {
	to    *slog.Logger
	quiet *quiet
}

func (e *errorLines) Write(line []byte) (int, error) {
	ok, left := e.quiet.may("")
	if !ok {
		return len(line), nil
	}
	text := bytes.TrimSpace(line[:min(len(line), maxErrorLine)])
	facts := []any{slog.String("what", string(text))}
	if left > 0 {
		facts = append(facts, slog.Int("left_out_before", left))
	}
	e.to.Warn("HTTP connection", facts...)
	return len(line), nil
}
