package main

import (
	"io"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"github.com/lmittmann/tint"
)

// logger writes to standard error: coloured for a person, plain or JSON for a machine. Messages are
// constant; what comes from outside stands in attributes, made harmless here.
func (a *app) logger() (*slog.Logger, error) {
	level := logLevelOption.value(a, "")
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil || strings.ContainsAny(level, "+-") {
		return nil, usage("--log-level is %q; it is debug, info, warn or error", level)
	}
	switch format := logFormatOption.value(a, ""); format {
	case "json":
		return slog.New(slog.NewJSONHandler(a.err, &slog.HandlerOptions{Level: l})), nil
	case "text":
		return slog.New(textHandler(a.err, l, !a.colour())), nil
	default:
		return nil, usage("--log-format is %q; it is text or json", format)
	}
}

// colour is for a terminal that wants it. The console of Windows shows escapes only in a mode that we
// don't switch on.
func (a *app) colour() bool { return a.colourFor(a.errIsTTY) }

func (a *app) colourFor(tty bool) bool {
	return tty && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb" && runtime.GOOS != "windows"
}

func textHandler(w io.Writer, level slog.Level, plain bool) slog.Handler {
	return tint.NewTextHandler(w, &tint.Options{
		Level:      level,
		TimeFormat: time.TimeOnly,
		NoColor:    plain,
		ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
			switch attr.Value.Kind() {
			case slog.KindString, slog.KindAny:
				if text := attr.Value.String(); strings.ContainsFunc(text, hostile) {
					attr.Value = slog.StringValue(safe(text))
				}
			}
			return attr
		},
	})
}
