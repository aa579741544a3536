package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/store"
	"github.com/mcp-decide/mcp-decide/trace"
	"github.com/mcp-decide/mcp-decide/trace/otlp"
)

func (a *app) traceExportCommand() *cobra.Command {
	var w store.Wanted
	var since time.Duration
	var format string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print records as lines of JSON, or spans of them, the newest first",
		Long: "export prints records as they are kept, one a line (jsonl), or OpenTelemetry spans of them (otlp): each line is the body of a request\n" +
			"to a collector, an ExportTraceServiceRequest as JSON. Spans hold no arguments, replies and outputs.",
		Example: "  mcp-decide trace export --since 24h --format otlp | while read -r spans; do\n" +
			"    printf %s \"$spans\" | curl -sS --json @- http://127.0.0.1:4318/v1/traces; done",
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "jsonl" && format != "otlp" {
				return usage("--format is %q; it is jsonl or otlp", format)
			}
			if w.Limit < 0 {
				return usage("--limit is %d; it is 0 or more", w.Limit)
			}
			return a.overTraces(cmd.Context(), &w, since, func(ctx context.Context, s *store.Store) error {
				out := bufio.NewWriter(a.out)
				write := writeLines(out)
				if format == "otlp" {
					write = writeSpans(out, otlp.About{Service: a.env("OTEL_SERVICE_NAME"), Version: version, Key: s.Key()})
				}
				err := s.Traces(ctx, w, func(r trace.Record) (bool, error) { return true, write(&r) })
				if err == nil {
					err = write(nil)
				}
				return errors.Join(err, out.Flush())
			})
		},
	}
	wantedFlags(cmd, &w, &since)
	cmd.Flags().IntVar(&w.Limit, "limit", 0, "at most so many; 0 = all")
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl or otlp")
	return cmd
}

// writeLines writes a line for each record; nil stands for the end.
func writeLines(out io.Writer) func(*trace.Record) error {
	return func(r *trace.Record) error {
		if r == nil {
			return nil
		}
		data, err := encode(r)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s\n", escaped(data))
		return err
	}
}

// spansALine is how many records stand in one request: what a collector takes at once, and is held in memory.
const spansALine = 250

// writeSpans writes a request for so many records each; nil stands for the end.
func writeSpans(out io.Writer, about otlp.About) func(*trace.Record) error {
	var batch []trace.Record
	return func(r *trace.Record) error {
		if r != nil {
			r.Args, r.Reply, r.Output = nil, "", "" // are not told
			batch = append(batch, *r)
		}
		if len(batch) == 0 || r != nil && len(batch) < spansALine {
			return nil
		}
		data, err := otlp.Encode(about, batch)
		if err != nil {
			return err
		}
		batch = batch[:0]
		_, err = fmt.Fprintf(out, "%s\n", escaped(data))
		return err
	}
}
