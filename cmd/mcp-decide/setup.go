package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"time"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/store"
	"github.com/mcp-decide/mcp-decide/trace"
)

// setup is everything that a command runs on, connected.
type setup struct {
	found    *found
	plan     *plan // of the start
	log      *slog.Logger
	registry *registry.Registry
	engine   *decide.Engine
	counts   *trace.Counts
	store    *store.Store // nil = turns and records are kept in memory
	records  records
	chosen   choice
	warnings []config.Problem
}

// connect finds the configuration and builds the engine over it.
func (a *app) connect(ctx context.Context) (*setup, error) {
	log, err := a.logger()
	if err != nil {
		return nil, err
	}
	f, err := a.find()
	if err != nil {
		return nil, err
	}
	in, err := a.choose(ctx, f.file, log)
	if err != nil {
		return nil, err
	}
	a.wiring.env = a.env
	s, err := a.wiring.build(ctx, f, in, log)
	if err != nil {
		return nil, err
	}
	if f.demo {
		log.InfoContext(ctx, "no configuration found, the built-in demo runs", "looked", f.looked, "start", "mcp-decide init")
	}
	return s, nil
}

// warn logs what is doubtful in the configuration. Only serve does, which runs long; for a look, there is validate.
func (s *setup) warn(ctx context.Context) {
	for _, w := range s.warnings {
		s.log.WarnContext(ctx, "configuration", "at", place(w), "key", w.Key, "problem", w.Message, "fix", w.Fix)
	}
}

// closing is how long what still runs has to end when the command does: a program is asked first, and killed after a second.
const closing = 2 * time.Second

// close ends what still runs, so that no child outlives the command.
func (s *setup) close() {
	ctx, done := context.WithTimeout(context.Background(), closing)
	defer done()
	if err := s.engine.Close(ctx); err != nil {
		s.log.Warn("something still runs and is left behind")
	}
	s.records.close()
	if s.store == nil {
		return
	}
	if err := s.store.Close(); err != nil {
		s.log.Warn("the store could not be closed well", "err", err)
	}
}

// until is a context for one run by hand: a signal does not end the waiting, it ends the run, so that its outcome can be told.
func (s *setup) until(signal context.Context) context.Context {
	context.AfterFunc(signal, s.close)
	return context.WithoutCancel(signal)
}

// wiring is what serving over HTTP has otherwise than everything else.
type wiring struct {
	hold      func(*plan) error                   // turns off what may not run; nil = everything may
	strangers bool                                // more than one caller: ids of turns that nobody can guess, and a rate for each
	keeps     bool                                // something may be kept, so that the store is opened
	needs     bool                                // what was kept before is asked for, so that memory is no use
	recorder  func(trace.Recorder) trace.Recorder // stands before the traces; nil = nothing does
	env       func(string) string                 // what says whether spans are exported; nil = they are not
}

// rateOverHTTP is how often each caller may call a method that says nothing else.
var rateOverHTTP = registry.Rate{Calls: 50, Per: time.Second}

// build makes the engine of a file, for a look: it opens no store.
func build(f *found, log *slog.Logger) (*setup, error) {
	return wiring{}.build(context.Background(), f, choice{Where: inMemory}, log)
}

func (w wiring) build(ctx context.Context, f *found, in choice, log *slog.Logger) (*setup, error) {
	p, err := planOf(f.file)
	if err != nil {
		return nil, err
	}
	if w.hold != nil {
		if err := w.hold(p); err != nil {
			return nil, err
		}
	}
	s := &setup{
		found:    f,
		plan:     p,
		log:      log,
		chosen:   in,
		registry: registry.New(),
		warnings: p.warnings,
	}
	if err := s.registry.Replace(p.methods); err != nil {
		return nil, &exitError{exitUsage, err}
	}
	options := decide.Options{Log: log, Config: identity(f.file, in.Where), Store: decide.NewMemory(decide.MemoryLimits{})}
	if w.keeps && in.Where != inMemory {
		if s.store, err = in.open(ctx, store.Options{Log: log, Keep: f.file.Trace.Keep, Size: f.file.Trace.MaxSize}); err != nil {
			return nil, err
		}
		options.Store, options.Now = s.store, s.store.Now
	}
	kept, err := s.newRecords(w, options.Store.Key())
	if err != nil {
		if s.store != nil {
			err = errors.Join(err, s.store.Close())
		}
		return nil, err
	}
	s.counts = trace.NewCounts(kept, time.Now())
	options.Recorder = s.counts
	if w.recorder != nil {
		options.Recorder = w.recorder(options.Recorder)
	}
	if w.strangers {
		options.LongIDs, options.Rate = true, rateOverHTTP
	}
	s.engine = decide.New(s.registry, options)
	for _, d := range p.decisions {
		if err := s.engine.Add(d); err != nil {
			s.close()
			return nil, &exitError{exitUsage, err}
		}
	}
	return s, nil
}

// wire turns a decision as configured into one of the engine.
func wire(d config.Decision) (decide.Decision, error) {
	out := decide.Decision{
		Name:       d.Name,
		Title:      d.Title,
		Summary:    d.Summary,
		Params:     d.Params,
		Prompt:     d.Prompt,
		MaxRetries: d.MaxRetries,
		OnFailure:  d.OnFailure,
		None:       d.None,
		TTL:        d.TTL,
		Style:      menu.Style(d.Style),
		Reading:    menu.Reading{Lenient: d.Lenient},
	}
	for _, p := range d.Phrases {
		out.Reading.Phrases = append(out.Reading.Phrases, menu.Phrase{Text: p.Text, Option: p.Option})
	}
	for _, o := range d.Options {
		var option decide.Option
		switch {
		case o.Method != "":
			option = decide.Func(o.Name, o.Method)
		case o.Fields != nil:
			option = decide.Schema(o.Name, o.Description, o.Fields)
		default:
			option = decide.Value(o.Name, o.Value)
		}
		option.Description = cmp.Or(o.Description, option.Description)
		option.Again = o.Again
		out.Options = append(out.Options, option)
	}
	return out, nil
}

// self is the principal of whoever runs this process.
func self() registry.Caller {
	if u, err := user.Current(); err == nil {
		return registry.Caller{ID: "os:" + u.Uid}
	}
	return registry.Caller{ID: fmt.Sprintf("os:%d", os.Getuid())}
}

// place is where a problem is, as compilers write it.
func place(p config.Problem) string {
	if p.Pos.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Pos.Line, p.Pos.Col)
}
