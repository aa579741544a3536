package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mcp-decide/mcp-decide/config"
)

// How long a file has to be left alone before it is looked at, and how long that may be put off: editors write in several steps.
const (
	quietTime  = 200 * time.Millisecond
	latestTime = time.Second
)

// watcher tells of changes of a file, and of the record beside it. Not the file is watched but the folders on the way to it, so that
// a new file in its place, a link that leads elsewhere, and one that comes back after it was deleted are all seen. What
// happened there is not trusted: after it the file is looked at, and only one that has changed counts.
type watcher struct {
	path, record string // absolute; record may be ""
	changed      func(look)
	log          *slog.Logger
	notify       *fsnotify.Watcher
	watched      map[string]fs.FileInfo // folders, as they were when their watch began
	last         look
	end          context.CancelFunc
	done         chan struct{}
}

// look is what can be seen of a file from outside.
type look struct {
	target  string // where links lead
	mode    fs.FileMode
	content string // a digest; or why there is none
	record  string // likewise, of the record
}

// watchFile watches until close. It calls changed after every change since f was loaded, with what there is to see then; that must not wait.
func watchFile(f *config.File, record string, changed func(look), log *slog.Logger) (*watcher, error) {
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", f.Path, err)
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w; without --watch the file is read again on SIGHUP", path, err)
	}
	ctx, end := context.WithCancel(context.Background())
	w := &watcher{
		path: path, record: record, changed: changed, log: log, notify: notify, end: end,
		watched: map[string]fs.FileInfo{}, done: make(chan struct{}),
	}
	if err := w.follow(); err != nil {
		end()
		return nil, errors.Join(fmt.Errorf("watching %s: %w; without --watch the file is read again on SIGHUP", path, err), notify.Close())
	}
	w.last = w.look()
	if w.last.content != f.Digest {
		changed(w.last) // between being loaded and being watched
	}
	go w.run(ctx)
	return w, nil
}

// close ends the watching; a nil watcher watches nothing.
func (w *watcher) close() {
	if w == nil {
		return
	}
	w.end()
	<-w.done
}

func (w *watcher) run(ctx context.Context) {
	defer close(w.done)
	defer w.notify.Close()
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	var latest time.Time // until when it may be put off; zero = nothing has happened
	happened := func() {
		if latest.IsZero() {
			latest = time.Now().Add(latestTime)
		}
		quiet.Reset(min(quietTime, time.Until(latest)))
	}
	for {
		select {
		case <-ctx.Done():
			quiet.Stop()
			return
		case <-w.notify.Events:
			happened()
		case err := <-w.notify.Errors:
			// Events may be lost then, so it counts as one.
			w.log.Debug("watching the configuration", "error", err)
			happened()
		case <-quiet.C:
			latest = time.Time{}
			w.check()
		}
	}
}

// check looks at the file, after what could change it is watched.
func (w *watcher) check() {
	if err := w.follow(); err != nil {
		w.log.Warn("a folder on the way to the configuration can't be watched; SIGHUP makes the server read the file again", "error", err.Error())
	}
	now := w.look()
	if now == w.last {
		return
	}
	w.last = now
	w.changed(now)
}

// follow watches the folders on the way to the file as they are now, and no others. Since they may change meanwhile, it looks at them
// again when a watch is new.
func (w *watcher) follow() error {
	for range 5 {
		fresh, err := w.update()
		if err != nil || !fresh {
			return err
		}
	}
	return nil
}

func (w *watcher) update() (fresh bool, err error) {
	wanted := foldersOf(w.path)
	if w.record != "" {
		wanted = append(wanted, foldersOf(w.record)...)
	}
	alive := w.notify.WatchList() // a watch ends with its folder, and a new folder may look like the old one
	for dir, then := range w.watched {
		now, err := os.Stat(dir)
		if err != nil || !slices.Contains(wanted, dir) || !slices.Contains(alive, dir) || !os.SameFile(then, now) {
			_ = w.notify.Remove(dir) // it may have gone with its folder
			delete(w.watched, dir)
		}
	}
	var errs []error
	for _, dir := range wanted {
		if w.watched[dir] != nil {
			continue
		}
		info, err := os.Stat(dir)
		if err == nil {
			err = w.notify.Add(dir)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", dir, err))
			continue
		}
		w.watched[dir], fresh = info, true
	}
	return fresh, errors.Join(errs...)
}

func (w *watcher) look() look {
	l := look{content: digestOf(w.path)}
	if w.record != "" {
		l.record = digestOf(w.record)
	}
	if info, err := os.Stat(w.path); err == nil {
		l.mode = info.Mode()
	}
	l.target, _ = filepath.EvalSymlinks(w.path)
	return l
}

// maxLooked is how much of a file is looked at; a configuration is smaller.
const maxLooked = 64 << 20

// digestOf is the SHA-256 of a file's text, or says why there is none.
func digestOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	if !info.Mode().IsRegular() { // a pipe would keep us waiting
		return "not a file"
	}
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxLooked)); err != nil {
		return err.Error()
	}
	return hex.EncodeToString(h.Sum(nil))
}
