package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// served is the command, serving over HTTP, as anybody would start it.
type served struct {
	cmd    *exec.Cmd
	addr   string
	tokens []string
	gone   chan error // gets why it ended
	said   *tail
	ask    http.Client
}

const soakFile = `server: {name: soak}
access:
  one: {token: env:SOAK_ONE}
  two: {token: env:SOAK_TWO}
methods:
  ` + echoName + `:
    summary: Give a text back.
    effect: read
    params: {text: {type: string, description: The text.}}
    rate: unlimited
    run: {argv: [cat], stdin: "{text}"}
  ask_remote:
    summary: Ask another server.
    effect: read
    params: {text: {type: string, description: The text.}}
    rate: unlimited
    http: {url: "http://{remote}/{text}"}
  fixed:
    summary: Always the same.
    rate: unlimited
    value: {answer: 42}
  page:
    summary: A long page.
    rate: unlimited
    value: "{page}"
  note:
    summary: Write something down.
    effect: write
    params: {text: {type: string, description: The text.}}
    rate: unlimited
    run: {argv: ["true"]}
  nap:
    summary: Take some time.
    effect: read
    rate: unlimited
    run: [sleep, "0.3"]
  nap_and_write:
    summary: Take some time and write.
    effect: write
    rate: unlimited
    run: [sleep, "0.3"]
  rare:
    summary: Only now and then.
    effect: read
    rate: 1/s
    value: rarely
decisions:
  ` + chooseName + `:
    summary: Choose what becomes of a text.
    params: {wish: {type: string, description: What is wanted.}}
    prompt: "Do what is wished:\n{wish}"
    options:
      fixed: fixed
      ` + echoName + `: ` + echoName + `
      note: note
      hand_over: {schema: {queue: {enum: [billing, technical]}}, description: Hand it over.}
  glance:
    summary: Look at what there is.
    prompt: What now?
    ttl: 1m
    options: [fixed]
`

// serveCommand starts the command and waits until it says where it serves.
func serveCommand(binary, dir, remote string) (*served, error) {
	file := filepath.Join(dir, "soak.yaml")
	text := strings.NewReplacer("{page}", strings.Repeat("a page that is read slowly. ", 1000), "{remote}", remote).Replace(soakFile)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	s := &served{gone: make(chan error, 1), said: &tail{}, tokens: []string{rand.Text(), rand.Text()}}
	s.ask.Timeout = 30 * time.Second
	s.cmd = exec.Command(binary, "serve", "--config", file, "--http", "127.0.0.1:0")
	s.cmd.Env = append(os.Environ(), "SOAK_ONE="+s.tokens[0], "SOAK_TWO="+s.tokens[1], "XDG_STATE_HOME="+dir)
	log, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	where := make(chan string, 1)
	go func() {
		s.listen(log, where)
		s.gone <- s.cmd.Wait()
	}()
	select {
	case s.addr = <-where:
		return s, nil
	case err := <-s.gone:
		return nil, fmt.Errorf("the command ended before it served: %w\n%s", err, s.said.text())
	case <-time.After(30 * time.Second):
		s.kill()
		return nil, fmt.Errorf("the command does not say where it serves\n%s", s.said.text())
	}
}

// newRemote is a server that gives the last part of the path back.
func newRemote() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	web := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, r.URL.Path[1:])
	})}
	go func() { _ = web.Serve(l) }() // ends when l is closed
	return l, nil
}

var servesAt = regexp.MustCompile(`http://([0-9.]+:[0-9]+)/mcp`)

// listen keeps the last lines of the log, and finds the address in it.
func (s *served) listen(log io.Reader, where chan<- string) {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		s.said.add(lines.Text())
		if m := servesAt.FindStringSubmatch(lines.Text()); m != nil {
			select {
			case where <- m[1]:
			default:
			}
		}
	}
}

// settled waits until the numbers of the server stand still, and returns them. What runs for a moment after its caller has
// left is no leak.
func (s *served) settled() (sample, error) {
	last, err := s.sample()
	still := 0
	for range 40 {
		if err != nil || still == 3 {
			return last, err
		}
		time.Sleep(150 * time.Millisecond) // between two looks at another process; nothing tells when it is at rest
		var next sample
		next, err = s.sample()
		if still++; next.goroutines != last.goroutines || next.descriptors != last.descriptors {
			still = 0
		}
		last = next
	}
	return last, err
}

// sample asks the server itself, and the system about it.
func (s *served) sample() (sample, error) {
	req, err := http.NewRequest(http.MethodGet, "http://"+s.addr+"/metrics", nil)
	if err != nil {
		return sample{}, err
	}
	req.Header.Set("Authorization", "Bearer "+s.tokens[0])
	resp, err := s.ask.Do(req)
	if err != nil {
		return sample{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return sample{}, fmt.Errorf("ask for the metrics: status %d, %v", resp.StatusCode, err)
	}
	pid := s.cmd.Process.Pid
	got := sample{
		goroutines:  metric(string(text), "go_goroutines"),
		live:        metric(string(text), "go_memstats_next_gc_bytes") / 2, // it collects when the heap has doubled
		descriptors: float64(descriptors(pid)),
		resident:    float64(resident(pid)),
	}
	if got.goroutines == 0 {
		return sample{}, errors.New("the metrics have no go_goroutines")
	}
	return got, nil
}

// metric finds a plain number on a page of metrics; 0 when it is not there.
func metric(page, name string) float64 {
	for line := range strings.Lines(page) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return n
		}
	}
	return 0
}

// end asks the server to end, as a supervisor would, and holds it to an orderly one.
func (s *served) end() error {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case err := <-s.gone:
		if err != nil {
			return fmt.Errorf("the server did not end well: %w\n%s", err, s.said.text())
		}
		return nil
	case <-time.After(20 * time.Second):
		return fmt.Errorf("the server does not end\n%s", s.said.text())
	}
}

func (s *served) kill() { _ = s.cmd.Process.Kill() }

// tail keeps the last lines of a log.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines = append(t.lines, line); len(t.lines) > 30 {
		t.lines = t.lines[1:]
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
