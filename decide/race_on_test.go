//go:build race

package decide

// raced reports that the race detector slows all down by an order of magnitude; the largest searches are left to runs without it.
const raced = true
