//go:build !linux

package source

// ownChildren are the children that need Linux.
var ownChildren map[string]func(args []string)
