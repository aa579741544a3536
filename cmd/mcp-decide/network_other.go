//go:build !linux && !darwin

package main

// network names the kind of network share that a folder is on; it is not known here. On Windows the folder of a user's state does not roam.
func network(string) string { return "" }
