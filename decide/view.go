package decide

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// View is what one request sees: one snapshot of the registry and the decisions. Take one at
// the start of a request and hand it to every call.
type View struct {
	Methods   *registry.Snapshot
	decisions *decisions
}

// decisions are the decisions at one moment. They never change.
type decisions struct {
	list   []*Decision
	byName map[string]*Decision
}

func indexed(list []*Decision) *decisions {
	ds := &decisions{list: list, byName: make(map[string]*Decision, len(list))}
	for _, d := range list {
		ds.byName[d.Name] = d
	}
	return ds
}

// View takes the current view.
func (e *Engine) View() *View {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return &View{Methods: e.registry.Snapshot(), decisions: e.decisions}
}

// Decisions are all decisions in order.
func (v *View) Decisions() []*Decision { return slices.Clone(v.decisions.list) }

// Decision finds one by name.
func (v *View) Decision(name string) (*Decision, bool) {
	d, ok := v.decisions.byName[name]
	return d, ok
}

// Offered are a decision's options as a menu shows them in this view: an option whose method is off
// or gone is left out.
func (v *View) Offered(d *Decision) []registry.Option {
	return slices.DeleteFunc(v.all(d), func(o registry.Option) bool { return o.Method.Off != "" })
}

// all are a decision's options, with those whose method is off.
func (v *View) all(d *Decision) []registry.Option {
	options := make([]registry.Option, 0, len(d.Options))
	for i := range d.Options {
		o := &d.Options[i]
		m := o.Own
		if m == nil {
			m, _ = v.Methods.Find(o.Method)
		}
		if m != nil {
			options = append(options, registry.Option{Name: o.Name, Description: o.Description, Method: m, Again: o.Again})
		}
	}
	return options
}

// with is the view and one more decision, which is nobody else's.
func (v *View) with(d *Decision) *View {
	list := append(slices.Clone(v.decisions.list), d)
	return &View{Methods: v.Methods, decisions: indexed(list)}
}

// Add checks a decision against the registry and adds it.
func (e *Engine) Add(d Decision) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := prepare(d, e.registry.Snapshot())
	if err != nil {
		return err
	}
	list := append(slices.Clone(e.decisions.list), p)
	if err := distinct(list); err != nil {
		return err
	}
	e.decisions = indexed(list)
	return nil
}

// Replace swaps all decisions at once; on an error nothing changes. A turn that is open on a decision that has changed
// is asked again, with what the decision now offers.
func (e *Engine) Replace(ds []Decision) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	list, err := prepareAll(ds, e.registry.Snapshot())
	if err != nil {
		return err
	}
	e.decisions = indexed(list)
	return nil
}

// Reload swaps all methods and all decisions in one step, so that no view holds the new ones of one and the old
// ones of the other; on an error nothing changes.
func (e *Engine) Reload(methods []registry.Method, ds []Decision) error {
	trial := registry.New()
	if err := trial.Replace(methods); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	list, err := prepareAll(ds, trial.Snapshot())
	if err != nil {
		return err
	}
	if err := e.registry.Replace(methods); err != nil {
		return err
	}
	e.decisions = indexed(list)
	return nil
}

func prepareAll(ds []Decision, methods *registry.Snapshot) ([]*Decision, error) {
	var list []*Decision
	var problems []error
	for _, d := range ds {
		p, err := prepare(d, methods)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		list = append(list, p)
	}
	if err := distinct(list); err != nil {
		problems = append(problems, err)
	}
	return list, errors.Join(problems...)
}

func distinct(list []*Decision) error {
	var names registry.Names
	var problems []error
	for _, d := range list {
		if err := names.Add(d.Name); err != nil {
			problems = append(problems, fmt.Errorf("decision %q: %w", d.Name, err))
		}
	}
	return errors.Join(problems...)
}

// didYouMean is a hint that names the nearest word, or nothing.
func didYouMean(word string, words []string) string {
	near := validate.Nearest(word, words)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}
