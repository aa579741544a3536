// Package registry says what a method is, and holds the one door through which every
// method is run.
//
// A Method is described once. Its native schema, its menu entry, its checks and its
// documentation are all read from the same Params. Methods are registered with
// (*Registry).Add or, from a typed Go function, with the generic Add; both check
// everything at once and refuse what could not work later. A request takes one
// Snapshot and uses it to its end.
//
// Call is the door: availability, ceiling, arguments, defaults, hidden values, approval,
// intent, timeout, run, recovery and the cap on results, as plain steps in one
// function. An error from it means that nothing ran.
//
// The package knows no model, no menu text and no wire protocol.
package registry
