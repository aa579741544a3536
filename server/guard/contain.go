package guard

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
)

// contain ends a request. A panic is told to the log; the client gets a constant text and a reference to it. Deferred.
func (g *Guard) contain(w *response, pattern string) {
	p := recover()
	if p == nil {
		w.finish()
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	reference := rand.Text()[:10]
	g.log.Error("handler panicked", "reference", reference, "route", pattern, "panic", cut(fmt.Sprint(p), 1000), "stack", cut(string(debug.Stack()), 8000))
	if w.status != 0 {
		// Half an answer must not look like a whole one.
		panic(http.ErrAbortHandler)
	}
	clear(w.Header())
	w.answer(http.StatusInternalServerError, "Something went wrong here. Reference: "+reference)
}

func cut(s string, most int) string {
	return s[:min(len(s), most)]
}
