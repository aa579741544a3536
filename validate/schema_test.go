package validate

import (
	"sync"
	"testing"
)

// A schema may rest at any time, also while it is used, and checks on.
func TestRest(t *testing.T) {
	t.Parallel()
	for _, text := range []string{string(benchSchema), `{"anyOf":[{"type":"string"},{"minimum":3}]}`} {
		s := mustCompile(t, text)
		good, bad := mustDecode(t, `{"order_id":"A-1042","amount":39.90}`), mustDecode(t, `[1]`)
		if text != string(benchSchema) {
			good, bad = "text", mustDecode(t, `2`)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 50 {
					if p := s.Check("args", good); p != nil {
						t.Errorf("%v is refused: %v", good, p)
					}
					if p := s.Check("args", bad); p == nil {
						t.Errorf("%v passes", bad)
					}
					s.Rest()
				}
			})
		}
		all.Wait()
	}
	var none Schema
	none.Rest()
	if p := none.Check("args", "x"); len(p) != 1 {
		t.Errorf("the zero value says %v", p)
	}
}
