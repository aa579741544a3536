package server

import (
	"encoding/json"
	"fmt"
	"time"
)

// progressEvery is how often a long call says that it still runs. Clients give up on a silent one after 30 s
// and more.
const progressEvery = 15 * time.Second

type progressNote struct {
	JSONRPC string         `json:"jsonrpc"`
	Method  string         `json:"method"`
	Params  progressParams `json:"params"`
}

type progressParams struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress int             `json:"progress"` // seconds
	Message  string          `json:"message"`
}

// reportProgress tells the client of e that it still runs, until the returned func is called. When that has
// returned, every note is written, so none can follow the result.
func reportProgress(e *exchange) (stop func()) {
	if e.progress == nil {
		return func() {}
	}
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-quit:
				return
			case <-e.ctx.Done():
				return
			case <-tick.C:
			}
			seconds := n * int(progressEvery/time.Second)
			_ = e.out.send(progressNote{"2.0", "notifications/progress", progressParams{
				e.progress, seconds, fmt.Sprintf("Still running after %d s.", seconds)}}) // always encodes
		}
	}()
	return func() {
		close(quit)
		<-ended
	}
}
