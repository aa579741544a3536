package source

import (
	"io"
	"os"
)

// hurry ends the waiting of whoever reads: pipes have no deadlines here.
func hurry(r *os.File) { r.Close() }

// rest has nothing to read: the pipe is closed.
func rest(*os.File, io.Writer) {}
