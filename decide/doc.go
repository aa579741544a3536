// Package decide is the engine: it opens a turn on a decision, takes an answer to it, and calls a
// method by name. Every run goes through registry.Call, whichever way it was asked for.
//
// A turn is a state machine with one row of state; each step is one compare-and-set on the
// store behind the interface Turns. The steps have names, T1 to T14; docs/turns.md is their table. A bad reply never changes anything but its counter.
// Nothing here waits for a person or a model: they answer in a later request.
package decide
