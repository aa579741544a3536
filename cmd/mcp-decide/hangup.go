package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangup is SIGHUP. It tells serve to read its file again, and ends every other command. Until it is known which one runs, it is kept. Windows has no
// such signal.
type hangup struct {
	came    chan os.Signal   // one at most: many that come at once ask for the same
	end     chan<- os.Signal // where the signals go that end a command
	ignored bool             // by whoever started the command, as nohup does
}

// listenForHangup is called before anything else: from then on the signal does not kill.
func listenForHangup(end chan<- os.Signal) *hangup {
	h := &hangup{came: make(chan os.Signal, 1), end: end, ignored: signal.Ignored(syscall.SIGHUP)}
	signal.Notify(h.came, syscall.SIGHUP)
	return h
}

// ends makes the signal end the command, also one that has come by now.
func (h *hangup) ends() {
	if h == nil || h.ignored {
		return
	}
	signal.Notify(h.end, syscall.SIGHUP)
	signal.Stop(h.came)
	select {
	case s := <-h.came:
		select {
		case h.end <- s:
		default: // enough have come
		}
	default:
	}
}

// asks has a value for every signal, or for many that came at once; nil when nobody listens.
func (h *hangup) asks() <-chan os.Signal {
	if h == nil {
		return nil
	}
	return h.came
}
