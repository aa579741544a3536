// Package trace holds what happened: one Record for each call or answer, written by the
// engine after the fact, and the Recorder that takes it.
//
// It is a leaf. It decides nothing and stores nothing durable; hidden values never get
// this far, and secret ones arrive masked.
package trace
