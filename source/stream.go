package source

import (
	"errors"
	"io"
	"os"
)

// stream reads what a program prints. The program gets the other end of the pipe itself, so its end is no end of the stream: what it
// has printed is read to the last byte, however late this process gets round to it.
type stream struct {
	r, w  *os.File
	ended chan struct{} // closed when nothing more is read
}

func newStream() (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &stream{r: r, w: w, ended: make(chan struct{})}, nil
}

// drop closes a stream whose program was never started.
func (s *stream) drop() {
	s.r.Close()
	s.w.Close()
}

// read reads into a writer, once the program has its end of the pipe.
func (s *stream) read(into io.Writer) {
	s.w.Close()
	go func() {
		defer close(s.ended)
		defer s.r.Close()
		if _, err := io.Copy(into, s.r); errors.Is(err, os.ErrDeadlineExceeded) {
			rest(s.r, into)
		}
	}()
}

// finish waits until all is read, at most until late is closed. A stranger may hold the pipe open for ever; then what is in it by now
// is read, and that is all.
func (s *stream) finish(late <-chan struct{}) {
	select {
	case <-s.ended:
		return
	case <-late:
	}
	hurry(s.r)
	<-s.ended
}
