package decide

import (
	"strings"
	"testing"
)

// Arguments that can't be read are a matter of the option that they were given for: the next ask has that one alone.
func TestUnreadableArgumentsNameTheirOption(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{"order":"A","order":"B"}`, `{"order":"A"} and`, `{order:"A"}`, `{"order":1e999}`, `{"order":"A"`, strings.Repeat(`{"order":`, 300)} {
		w := newWorld(t)
		h := w.open().Handle
		out := w.pick(h, "look", args)
		if out.Option != "look" || !strings.Contains(out.Text, "does not fit look (bad_args):") || strings.Contains(out.Text, "refund(") {
			t.Errorf("%.40s: %+v", args, out)
		}
		w.is(h, Open, 2, 1, 0)
		if out := w.pick(out.Handle, "nosuch", args); out.Option != "" {
			t.Errorf("%.40s for no option: %+v", args, out)
		}
	}
}
