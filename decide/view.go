package decide

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// View is what one request sees: one snapshot of the registry and the decisions. Take one at
// the start of a request and hand it to every call; nil stands for the current one.
type View struct {
	Methods   *registry.Snapshot
	decisions *decisions
}

// decisions are the decisions at one moment. They never change.
type decisions struct {
	list   []*Decision
	byName func() map[string]*Decision // made when it is first asked for, so that adding many takes no longer for each
}

func indexed(list []*Decision) *decisions {
	return &decisions{list: list, byName: sync.OnceValue(func() map[string]*Decision {
		byName := make(map[string]*Decision, len(list))
		for _, d := range list {
			byName[d.Name] = d
		}
		return byName
	})}
}

// View takes the current view.
func (e *Engine) View() *View {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return &View{Methods: e.registry.Snapshot(), decisions: e.decisions}
}

// Same reports whether two views show the same methods and decisions, as nothing was registered in between.
func (v *View) Same(other *View) bool {
	return v.Methods == other.Methods && v.decisions == other.decisions
}

func (e *Engine) orCurrent(v *View) *View {
	if v == nil {
		return e.View()
	}
	return v
}

// Decisions are all decisions in order.
func (v *View) Decisions() []*Decision { return slices.Clone(v.decisions.list) }

// Decision finds one by name.
func (v *View) Decision(name string) (*Decision, bool) {
	d, ok := v.decisions.byName()[name]
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
	if err := claim(&e.names, p); err != nil {
		return err
	}
	e.decisions = indexed(append(e.decisions.list, p)) // who holds the list of before does not look beyond its end
	return nil
}

// Replace swaps all decisions at once; on an error nothing changes. A turn that is open on a decision that has changed
// is asked again, with what the decision now offers.
func (e *Engine) Replace(ds []Decision) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	list, names, err := prepareAll(ds, e.registry.Snapshot())
	if err != nil {
		return err
	}
	e.decisions, e.names = indexed(list), names
	return nil
}

// Reload swaps all methods and all decisions in one step, so that no view holds the new ones of one and the old
// ones of the other; on an error nothing changes. Requests wait for the swap alone, not for the checks before it.
func (e *Engine) Reload(methods []registry.Method, ds []Decision) error {
	trial := registry.New()
	if err := trial.Replace(methods); err != nil {
		return err
	}
	list, names, err := prepareAll(ds, trial.Snapshot())
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.registry.Take(trial)
	e.decisions, e.names = indexed(list), names
	return nil
}

func prepareAll(ds []Decision, methods *registry.Snapshot) ([]*Decision, registry.Names, error) {
	var list []*Decision
	var names registry.Names
	var problems []error
	for _, d := range ds {
		p, err := prepare(d, methods)
		if err == nil {
			err = claim(&names, p)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		list = append(list, p)
	}
	return list, names, errors.Join(problems...)
}

// claim takes a decision's name in, unless another one has it or looks like it.
func claim(names *registry.Names, d *Decision) error {
	if err := names.Add(d.Name); err != nil {
		return fmt.Errorf("decision %q: %w", d.Name, err)
	}
	return nil
}

// didYouMean is a hint that names the nearest word, or nothing.
func didYouMean(word string, words []string) string {
	near := validate.Nearest(word, words)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}
