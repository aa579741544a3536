package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

// A child is asked about itself over a connection of its own, which it makes to the driver. One JSON value is a question, one an
// answer.

type question struct {
	Do   string `json:"do"` // usage, profile or write
	Path string `json:"path,omitempty"`
}

type greeting struct {
	Addr  string `json:"addr"` // where it serves HTTP; "" on stdio
	Error string `json:"error,omitempty"`
}

// usage is what a process has used so far, and what it holds.
type usage struct {
	CPU        time.Duration `json:"cpu"`
	Mallocs    uint64        `json:"mallocs"`
	Allocated  uint64        `json:"allocated"` // bytes, since the start
	Heap       uint64        `json:"heap"`      // bytes in use
	Goroutines int           `json:"goroutines"`
	Error      string        `json:"error,omitempty"`
}

// usageNow asks the process itself. It collects garbage first, so that each measurement starts alike and Heap is what is held.
func usageNow() usage {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{CPU: cpuTime(), Mallocs: m.Mallocs, Allocated: m.TotalAlloc, Heap: m.HeapAlloc, Goroutines: runtime.NumGoroutine()}
}

// control is a child's end. It answers until the driver leaves.
func control(conn net.Conn, g greeting) error {
	in, out := json.NewDecoder(conn), json.NewEncoder(conn)
	if err := out.Encode(g); err != nil {
		return err
	}
	var profile *os.File
	for {
		var q question
		if err := in.Decode(&q); err != nil {
			return nil // the driver has gone
		}
		var u usage
		switch q.Do {
		case "usage":
			u = usageNow()
		case "profile":
			f, err := startProfile(q.Path)
			profile, u.Error = f, textOf(err)
		case "write":
			u.Error = textOf(errors.Join(stopProfile(profile), writeHeap(q.Path)))
		}
		if err := out.Encode(u); err != nil {
			return err
		}
	}
}

func startProfile(path string) (*os.File, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return f, pprof.StartCPUProfile(f)
}

func stopProfile(f *os.File) error {
	if f == nil {
		return errors.New("no profile was started")
	}
	pprof.StopCPUProfile()
	return f.Close()
}

// writeHeap writes what was allocated since the start, and what is held.
func writeHeap(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	runtime.GC()
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// handset is the driver's end.
type handset struct {
	conn net.Conn
	in   *json.Decoder
	out  *json.Encoder
}

func (h *handset) ask(q question) (usage, error) {
	var u usage
	if err := h.out.Encode(q); err != nil {
		return u, err
	}
	if err := h.in.Decode(&u); err != nil {
		return u, fmt.Errorf("ask a child for its %s: %w", q.Do, err)
	}
	if u.Error != "" {
		return u, errors.New(u.Error)
	}
	return u, nil
}
