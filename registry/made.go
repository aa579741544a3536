package registry

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"

	"github.com/mcp-decide/mcp-decide/validate"
)

// made is what preparing makes of what a method takes and gives back. It never changes, so methods that take and give back the same
// share it.
type made struct {
	of            mark
	params        []Param // checked, in their final form, without what fills the hidden ones
	returns       *Param
	schema        []byte           // input schema, declared order, visible parameters only
	output        []byte           // output schema; nil without Returns
	checker       *validate.Schema // of schema
	outputChecker *validate.Schema // of output
	root          *node            // the parameters, as Check walks them
	visible       []Param
	hidden        []filler    // of the hidden parameters in order, without their fill
	conditions    []condition // of Approval
}

// Share lets m have what was made of another method when that was prepared: to prepare m then takes a fraction of the time, and holds a
// fraction of the memory. It is for a method that is looked at first and given its Run later. It promises nothing and can't be
// wrong: what m takes and gives back is compared when m is prepared, and made anew where it differs. The other method is not changed
// from then on, like one in a registry.
func (m *Method) Share(ready *Method) { m.made = ready.made }

// shared reports whether what m has was made of what m now takes and gives back.
func (m *Method) shared(of mark) bool { return m.made != nil && m.made.of == of }

// filled are the parameters as they were made, each hidden one filled as params has it.
func (d *made) filled(params []Param) []Param {
	own := d.params
	for i := range params {
		if params[i].Fill == nil {
			continue
		}
		if &own[0] == &d.params[0] {
			own = slices.Clone(own)
		}
		own[i].Fill = params[i].Fill
	}
	return own
}

// keep takes over the parameters of a prepared method, and lets its schemas rest: most methods are never called.
func (d *made) keep(m *Method) {
	d.returns, d.params = m.Returns, m.Params
	if slices.ContainsFunc(m.Params, func(p Param) bool { return p.Fill != nil }) {
		d.params = slices.Clone(m.Params)
		for i := range d.params {
			d.params[i].Fill = nil
		}
	}
	d.visible = d.params
	if slices.ContainsFunc(m.Params, func(p Param) bool { return p.Hidden() }) {
		d.visible = slices.DeleteFunc(slices.Clone(m.Params), func(p Param) bool { return p.Hidden() })
	}
	d.params, d.visible = slices.Clip(d.params), slices.Clip(d.visible)
	d.checker.Rest()
	if d.outputChecker != nil {
		d.outputChecker.Rest()
	}
	for i := range d.hidden {
		if d.hidden[i].checker != nil {
			d.hidden[i].checker.Rest()
		}
	}
	for i := range d.conditions {
		d.conditions[i].schema.Rest()
	}
}

// mark is a digest of all that made is made of, wording included. Two methods that differ in it have different marks.
type mark [sha256.Size]byte

func markOf(m *Method) mark {
	w := marker{out: make([]byte, 0, 1<<10)}
	w.params(m.Params)
	w.flags(m.Returns != nil, m.Approval != nil)
	if m.Returns != nil {
		w.param(m.Returns)
	}
	if m.Approval != nil {
		w.raw(m.Approval.If)
	}
	return sha256.Sum256(w.out)
}

// marker writes values one behind the other, each with its length, so that no two texts run into each other.
type marker struct{ out []byte }

func (w *marker) params(params []Param) {
	w.size(len(params))
	for i := range params {
		w.param(&params[i])
	}
}

func (w *marker) param(p *Param) {
	for _, text := range [...]string{p.Name, string(p.Type), p.Description, p.Placeholder, p.Label, p.From} {
		w.text(text)
	}
	w.flags(p.Optional, p.Multiline, p.Secret, p.Hidden(), p.Items != nil, p.Fields != nil, p.Enum != nil, p.Keywords != nil)
	w.raw(p.Default)
	w.raw(p.Schema)
	w.size(len(p.Enum))
	for _, v := range p.Enum {
		w.raw(v)
	}
	w.size(len(p.Keywords))
	for _, k := range p.Keywords {
		w.text(k.Name)
		w.raw(k.Value)
	}
	if p.Items != nil {
		w.param(p.Items)
	}
	w.params(p.Fields)
}

func (w *marker) size(n int) { w.out = binary.AppendUvarint(w.out, uint64(n)) }

func (w *marker) text(s string) {
	w.size(len(s))
	w.out = append(w.out, s...)
}

// raw tells nothing from the empty text.
func (w *marker) raw(v json.RawMessage) {
	w.flags(v != nil)
	w.text(string(v))
}

func (w *marker) flags(are ...bool) {
	for _, is := range are {
		w.out = append(w.out, '0')
		if is {
			w.out[len(w.out)-1] = '1'
		}
	}
}
