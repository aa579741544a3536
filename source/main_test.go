package source

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain is also the program that the tests run: started with a first argument child:NAME it does what that
// child does and never gets to the tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if name, ok := strings.CutPrefix(os.Args[1], "child:"); ok {
			child, known := children[name]
			if !known {
				child, known = ownChildren[name]
			}
			if !known {
				fmt.Fprintln(os.Stderr, "no such child:", name)
				end(99)
			}
			child(os.Args[2:])
			end(0)
		}
	}
	goleak.VerifyTestMain(m)
}

// children are the programs of the tests, by name.
var children = map[string]func(args []string){
	// args prints its arguments as JSON; bytes become base64, so nothing is lost.
	"args": func(args []string) {
		list := make([][]byte, len(args))
		for i, a := range args {
			list[i] = []byte(a)
		}
		must(json.NewEncoder(os.Stdout).Encode(list))
	},
	// name prints what it was called as.
	"name": func([]string) { fmt.Print(os.Args[0]) },
	// env prints its environment, sorted.
	"env": func([]string) {
		env := os.Environ()
		slices.Sort(env)
		must(json.NewEncoder(os.Stdout).Encode(env))
	},
	"dir": func([]string) { dir, err := os.Getwd(); must(err); fmt.Println(dir) },
	"cat": func([]string) { _, err := io.Copy(os.Stdout, os.Stdin); must(err) },
	// print prints a Go string literal.
	"print": func(args []string) { text, err := strconv.Unquote(args[0]); must(err); fmt.Print(text) },
	// exit says a Go string literal on stderr and ends with a status.
	"exit": func(args []string) {
		text, err := strconv.Unquote(args[1])
		must(err)
		fmt.Fprint(os.Stderr, text)
		end(number(args[0]))
	},
	// flood prints as many bytes.
	"flood":       func(args []string) { flood(os.Stdout, number(args[0])) },
	"flooderrors": func(args []string) { flood(os.Stderr, number(args[0])) },
	// fork starts as many sleepers, says so in a file, and sleeps.
	"fork": func(args []string) {
		for range number(args[0]) {
			must(exec.Command("sleep", "3600").Start())
		}
		must(os.WriteFile(args[1], nil, 0o600))
		sleep()
	},
	// deaf closes its output, says so in a file, and sleeps.
	"deaf": func(args []string) {
		must(os.Stdout.Close())
		must(os.Stderr.Close())
		must(os.WriteFile(args[0], nil, 0o600))
		sleep()
	},
	// leave prints a word and ends; a sleeper keeps its output open.
	"leave": func([]string) {
		cmd := exec.Command("sleep", "3600")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		must(cmd.Start())
		fmt.Println("left")
	},
}

// end ends a child without the second that the race detector waits at an exit.
func end(status int) { syscall.Exit(status) }

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		end(98)
	}
}

func number(s string) int { n, err := strconv.Atoi(s); must(err); return n }

func sleep() {
	for {
		time.Sleep(time.Hour)
	}
}

func flood(to *os.File, n int) {
	block := []byte(strings.Repeat("0123456789abcde\n", 4096))
	for n > 0 {
		some := block[:min(n, len(block))]
		if _, err := to.Write(some); err != nil {
			end(97)
		}
		n -= len(some)
	}
}
