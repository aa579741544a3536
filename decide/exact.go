package decide

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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

// InPlaces adds to an error of Inexact what a strict reading says of the same reply, since that names the places: a reader that was
// lenient only says what it did. Nil stays nil.
func InPlaces(inexact error, reply string, offered []registry.Option, how menu.Reading) error {
	var invalid, more *validate.Error
	if !how.Lenient || !errors.As(inexact, &invalid) {
		return inexact
	}
	how.Lenient, how.Phrases = false, nil
	pick, err := menu.Parse(reply, offered, how)
	if o := find(offered, pick.Name); err == nil && o != nil {
		_, err = o.Method.Check(pick.Args)
	}
	if !errors.As(err, &more) {
		return inexact
	}
	return validate.NewError(invalid.Subject, slices.Concat(invalid.Problems, more.Problems)...)
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
