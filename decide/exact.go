package decide

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// Inexact says why a pick can't stand for an option: the option may change something, and the pick had to be repaired, was read with
// any other liberty, or stands in key lines or a phrase. Such a reading has one meaning and may still not be what was meant. The
// error is a *validate.Error of kind bad_args; nil = the pick can stand for the option.
func Inexact(p menu.Pick, o registry.Option) error {
	effect := o.Method.Effect.Or()
	if effect == registry.Read || p.IsExact() {
		return nil
	}
	return validate.NewError(o.Name, validate.Problem{
		Kind:     validate.BadArgs,
		Expected: fmt.Sprintf("a pick that is written exactly, since %s is [%s]", o.Name, effect),
		Read:     loosely(p),
		Hint:     `Write the pick again as one exact JSON object, {"call": <option>, "args": {...}}, with nothing in it to mend or to guess`,
	})
}

// loosely says how an inexact pick was read.
func loosely(p menu.Pick) string {
	form := map[menu.Strategy]string{menu.KeyLines: "key lines", menu.ByPhrase: "a phrase"}[p.Strategy]
	if !p.Repaired() {
		return cmp.Or(form, "one that had to be repaired")
	}
	liberties := make([]string, len(p.Liberties))
	for i, l := range p.Liberties {
		liberties[i] = string(l)
	}
	return cmp.Or(form, "one") + " that could only be read with " + strings.Join(liberties, ", ")
}
