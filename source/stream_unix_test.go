//go:build unix

package source

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
)

// slowly is a writer that has not got round to writing until it may.
type slowly struct {
	bytes.Buffer
	may chan struct{}
}

func (s *slowly) Write(p []byte) (int, error) {
	<-s.may
	return s.Buffer.Write(p)
}

// A program's output is read to its last byte, also when the waiting for a stranger that holds it open is over before any of it was
// looked at: a machine that has no time for us for a second must not make a result empty.
func TestNothingPrintedIsLost(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 5000, 40_000} {
		s, err := newStream()
		if err != nil {
			t.Fatal(err)
		}
		held, err := syscall.Dup(int(s.w.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		stranger := os.NewFile(uintptr(held), "stranger")
		defer stranger.Close()
		printed := strings.Repeat("x", size)
		if _, err := s.w.WriteString(printed); err != nil {
			t.Fatal(err)
		}
		into := &slowly{may: make(chan struct{})}
		late := make(chan struct{})
		close(late)
		s.read(into)
		hurry(s.r)
		close(into.may)
		s.finish(late)
		if got := into.String(); got != printed {
			t.Errorf("%d of %d bytes were read", len(got), size)
		}
	}
}
