//go:build race

package menu

// raced reports that the race detector slows all down by an order of magnitude; the largest texts are left to runs without it.
const raced = true
