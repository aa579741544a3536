//go:build !race

package decide

const raced = false
