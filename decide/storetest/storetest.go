// Package storetest is the suite that every implementation of decide.Store has to pass.
package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
)

type test struct {
	name string
	test func(t *testing.T, s decide.Store)
}

// Run runs the suite. open makes an empty store; now is its clock.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) decide.Store) {
	for _, tc := range slices.Concat(turnTests, callTests, txTests) {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.test(t, open(t, func() time.Time { return start }))
		})
	}
}
