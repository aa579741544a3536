package accept

import (
	"fmt"
	"maps"
	"slices"
)

// Change is one thing that a configuration may do beyond what was accepted.
type Change struct {
	Method    string // whose right to run has become wider, or
	Principal string // who may do more
	What      string // in words: "it is new"
}

// Key is where the change stands in the file.
func (c Change) Key() string {
	if c.Principal != "" {
		return "access." + c.Principal
	}
	return "methods." + c.Method
}

// Beyond is what s lets run beyond what was accepted, in the order of names, methods first. What is narrower, and what is gone, is no
// change: nobody has to agree to less.
func (s Surface) Beyond(accepted Surface) []Change {
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(s.Methods)) {
		old, known := accepted.Methods[name]
		if !known {
			changes = append(changes, Change{Method: name, What: "it is new"})
			continue
		}
		for _, what := range s.Methods[name].beyond(old) {
			changes = append(changes, Change{Method: name, What: what})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Access)) {
		old, known := accepted.Access[name]
		if !known {
			changes = append(changes, Change{Principal: name, What: "it is new"})
			continue
		}
		if s.Access[name].Token != old.Token {
			changes = append(changes, Change{Principal: name, What: fmt.Sprintf("its token is %s, and was %s", s.Access[name].Token, old.Token)})
		}
		for _, role := range s.Access[name].Roles {
			if !slices.Contains(old.Roles, role) {
				changes = append(changes, Change{Principal: name, What: fmt.Sprintf("it has the role %q, and had not", role)})
			}
		}
	}
	return changes
}

// beyond says in words what m may do that old may not.
func (m Method) beyond(old Method) []string {
	var wider []string
	note := func(format string, args ...any) { wider = append(wider, fmt.Sprintf(format, args...)) }
	if m.Runs != old.Runs {
		note("what it runs, or with which parameters, has changed")
	}
	if m.Effect != old.Effect && old.Effect.Covers(m.Effect) {
		note("its effect is %s, and was %s", m.Effect, old.Effect)
	}
	if m.Idempotent && !old.Idempotent {
		note("it is said to be idempotent, and was not")
	}
	if old.OpenWorld && !m.OpenWorld {
		note("it is said to stay on this machine, and was not")
	}
	if what := asksLess(m.Approval, old.Approval); what != "" {
		note("%s", what)
	}
	if old.Tool {
		return wider // whoever could call it by name gains nothing from another way to it
	}
	if m.Tool {
		note("it is a tool of its own, and was an option of decisions alone")
	}
	for _, d := range m.Decisions {
		if !slices.Contains(old.Decisions, d) {
			note("the decision %q offers it, and did not", d)
		}
	}
	return wider
}

// asksLess says how an approval rule may ask a person less often than the old one; "" when it can't. Of two conditions nobody knows which
// one holds more often.
func asksLess(now, old string) string {
	switch {
	case now == old, now == always, old == "":
		return ""
	case now == "":
		return "nobody has to agree to a call, and a person had to"
	case old == always:
		return "a person has to agree under a condition, and always had to"
	}
	return "the condition under which a person has to agree has changed"
}
