package menu

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// A reading is one object of the reply that is, or was meant to be, a pick.
type reading struct {
	text     string // the object as it stands in the reply
	call     call
	name     string
	option   *registry.Option // nil when no option has that name
	args     json.RawMessage  // as read, when there is no problem
	beside   bool             // the arguments stand beside the call key
	problems []validate.Problem
	damage   damage    // of an object that could not be read
	took     liberties // to read it
	mend     *mended   // nil when it was no damage
	canon    string    // see same
	echo     bool      // a copy of an example that was shown
}

// reader reads objects against the options.
type reader struct {
	offered []registry.Option
	how     Reading
	took    liberties                   // with the reply as a whole
	steps   *explanation                // nil unless somebody wants an explanation
	byName  map[string]*registry.Option // made when many names are looked up
	lookups int
	copies  map[*registry.Option][2]string

	signatures map[string][2]string        // of isSignature
	folded     map[string]*registry.Option // see nearly
}

// read makes a reading of the object at a place of text. ok is false when it is data.
func (r *reader) read(text string, at span, members []member) (*reading, bool) {
	rd := &reading{text: at.of(text)}
	return rd, r.fill(rd, text, members)
}

// fill reads the members of an object into rd.
func (r *reader) fill(rd *reading, text string, members []member) (ok bool) {
	c, ok := callOf(text, members, 0)
	if !ok {
		return false
	}
	rd.call = c
	if c.conflict != "" {
		rd.fail(validate.Problem{Kind: validate.Ambiguous, Path: "call", Expected: "one call", Read: c.conflict})
		return true
	}
	name := c.name.of(c.text)
	if name[0] != '"' {
		rd.fail(validate.Problem{Kind: validate.UnknownCall, Path: "call", Read: fold(name, maxQuoted)})
		return true
	}
	rd.name = unquoted(name[1 : len(name)-1])
	if rd.mend != nil {
		rd.name = strings.TrimPrefix(rd.name, bareMark)
	}
	if rd.option = r.find(rd.name); rd.option == nil && r.how.Lenient {
		r.dress(rd)
	}
	if rd.option == nil {
		rd.fail(r.unknown(rd.name))
		return true
	}
	if who := rd.speaker(text, members); who != "" {
		rd.fail(validate.Problem{Kind: validate.Ambiguous, Path: "role", Expected: "a call of your own", Read: "a message of " + fold(who, maxQuoted)})
		return true
	}
	if other := r.rival(&c, rd.option); other != "" {
		rd.fail(validate.Problem{Kind: validate.Ambiguous, Path: "call", Expected: "one call", Read: "one of " + fold(rd.name, maxQuoted) + " and one of " + fold(other, maxQuoted)})
		return true
	}
	raw, beside, problem := c.arguments(rd.option)
	if problem != nil && r.how.Lenient {
		raw, problem = rd.unlisted(raw, problem)
	}
	if rd.beside = beside; problem != nil {
		rd.fail(*problem)
		return true
	}
	rd.settle(raw, r.how.Lenient)
	if rd.isSound() && !r.isWhole(rd) {
		rd.fail(validate.Problem{Kind: validate.BadArgs, Path: "args", Expected: "a whole object", Read: "one that was cut: the reply ends inside it"})
	}
	if rd.isSound() && r.isShown(rd) {
		rd.echo = true
		rd.fail(validate.Problem{Kind: validate.MissingRequired, Path: "args", Expected: "values of your own", Read: "the worked example as it stands"})
	}
	return true
}

// rival is another option that an object names beside its call key, in the form of another envelope:
// {"action": "wait", "decision": "merge", "payload": {}}. "" = there is none.
func (r *reader) rival(c *call, o *registry.Option) string {
	if c.has("payload", "reasoning") {
		if other := r.otherIn(c, "decision", o); other != "" {
			return other
		}
	}
	if c.has("arguments", "parameters", "input") {
		if other := r.otherIn(c, "name", o); other != "" {
			return other
		}
	}
	inner := call{text: c.text, members: c.members}
	if slices.ContainsFunc(c.keys, func(key string) bool { return key == "tool_calls" || slices.Contains(wrapperKeys, key) }) || !inner.byToolCalls(0) && !inner.byWrapper(0) {
		return ""
	}
	if name := inner.name.of(c.text); inner.conflict != "" || name != c.name.of(c.text) {
		return unquoted(strings.Trim(name, `"`))
	}
	return ""
}

// speaker is who says what the object is, by its role, if that is not the model.
func (rd *reading) speaker(text string, members []member) string {
	if parameter(rd.option, "role") != nil {
		return ""
	}
	outer := call{text: text, members: members}
	for role := range outer.values("role") {
		if who := unquoted(strings.Trim(role.of(text), `"`)); who != "assistant" && who != "model" {
			return who
		}
	}
	return ""
}

func (r *reader) otherIn(c *call, key string, o *registry.Option) string {
	if parameter(o, key) != nil {
		return ""
	}
	for v := range c.values(key) {
		text := v.of(c.text)
		if text[0] != '"' {
			continue
		}
		name := unquoted(text[1 : len(text)-1])
		if other := r.named(name); other != nil && other != o {
			return name
		}
	}
	return ""
}

func (rd *reading) fail(p validate.Problem) { rd.problems = append(rd.problems, p) }

func (rd *reading) isSound() bool { return len(rd.problems) == 0 }

// settle cleans the argument object; an option with a fixed value has no use for one.
func (rd *reading) settle(raw string, lenient bool) {
	rd.args = json.RawMessage("{}")
	if raw != "" {
		var took liberties
		rd.args, rd.problems, took = cleaned(raw, fieldsOf(rd.option), rd.mend != nil, lenient)
		rd.take(took...)
	}
	if rd.isSound() && isSchemaEcho(raw, rd.option) {
		rd.fail(validate.Problem{Kind: validate.BadArgs, Path: "args", Expected: "values", Read: "a schema"})
	}
	for i := range rd.problems {
		if p := &rd.problems[i]; p.Kind == validate.MissingRequired {
			p.Expected = nameType(rd.option, p.Path)
		}
	}
}

func fieldsOf(o *registry.Option) []registry.Param {
	if o.Method == nil {
		return nil
	}
	return o.Method.Params
}

// nameType is what a missing argument has to be, when it stands at the top.
func nameType(o *registry.Option, path string) string {
	if p := parameter(o, strings.TrimPrefix(path, "args.")); p != nil {
		b, _ := appendType(nil, p, 0)
		return "a value of type " + string(b)
	}
	return "a value"
}

// isSchemaEcho reports whether the arguments are the schema itself, for an option that would run
// with nothing given.
func isSchemaEcho(raw string, o *registry.Option) bool {
	if !strings.Contains(raw, `"properties"`) || parameter(o, "properties") != nil {
		return false
	}
	for p := range visible(o) {
		if p.Required() {
			return false // missing_required says it better
		}
	}
	s := skimmer{text: raw}
	s.value()
	c := call{text: raw, members: s.members}
	return c.has("properties") && c.has("type")
}

// find looks a name up. The map is made only when it pays.
func (r *reader) find(name string) *registry.Option {
	if r.lookups++; r.lookups > 8 && r.byName == nil {
		r.byName = make(map[string]*registry.Option, len(r.offered))
		for i := range slices.Backward(r.offered) {
			r.byName[r.offered[i].Name] = &r.offered[i]
		}
	}
	if r.byName != nil {
		return r.byName[name]
	}
	for i := range r.offered {
		if r.offered[i].Name == name {
			return &r.offered[i]
		}
	}
	return nil
}

// same reports whether two readings are one pick: the same text, or the same option with equal
// arguments, whatever the order of keys.
func same(a, b *reading) bool {
	if a.text == b.text {
		return true
	}
	if !a.isSound() || !b.isSound() || a.name != b.name {
		return false
	}
	return a.canonical() == b.canonical()
}

func (rd *reading) canonical() string {
	if rd.canon == "" {
		rd.canon = canonical(rd.args)
	}
	return rd.canon
}

// canonical writes a JSON value with sorted keys and its numbers as they were written.
func canonical(raw json.RawMessage) string {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(sorted)
}

// isCopy reports whether an object behind the label "Call:" is the menu's own line. The values in
// a line of the classic style are the menu's, not the picker's.
func (r *reader) isCopy(rd *reading) bool {
	if rd.option == nil {
		return false
	}
	if r.copies == nil {
		r.copies = make(map[*registry.Option][2]string)
	}
	lines, ok := r.copies[rd.option]
	if !ok {
		lines = [2]string{string(appendCall(nil, rd.option)), string(appendClassicCall(nil, rd.option))}
		r.copies[rd.option] = lines
	}
	text := rd.text
	if text != lines[0] && text != lines[1] { // written anew: held against the lines by what it means
		text, lines = canonical(json.RawMessage(text)), [2]string{canonical(json.RawMessage(lines[0])), canonical(json.RawMessage(lines[1]))}
	}
	if text != lines[0] && text == lines[1] && rd.isSound() {
		rd.fail(validate.Problem{Kind: validate.MissingRequired, Path: "args", Expected: "values of your own",
			Read: "the menu's Call line as it stands"})
	}
	return text == lines[0] || text == lines[1]
}

// taken makes the pick of a reading, after the checks that need the names nearby.
func (r *reader) taken(rd *reading, at found) (Pick, error) {
	r.steps.settle(at)
	if rd.isSound() {
		rd.problems = rd.strays()
	}
	if !rd.isSound() {
		return Pick{}, r.refuse(rd)
	}
	took := slices.Clone(r.took)
	took.add(at.took...)
	took.add(rd.took...)
	p := Pick{Name: rd.name, Args: rd.args, Strategy: at.strategy, Form: at.form, Liberties: took}
	if slices.ContainsFunc(took, isRepair) {
		p.Strategy, p.Form = Repaired, ""
	}
	return p, nil
}

// strays are the keys beside the call that were meant as arguments: a parameter that stands beside
// an argument object without it or with another value there, a slip of a parameter that was not given, or of a key for all arguments.
func (rd *reading) strays() []validate.Problem {
	extra := rd.extraKeys()
	if len(extra) == 0 {
		return nil
	}
	var problems []validate.Problem
	absent := rd.absent()
	for _, key := range extra {
		p := validate.Problem{Kind: validate.BadArgs, Path: key, Expected: "all arguments inside args", Read: "one beside it"}
		switch {
		case slices.Contains(absent, key), rd.isSlip(key), rd.differs(key):
			problems = append(problems, p)
		case rd.beside:
			if p.Nearest = validate.Nearest(key, absent); p.Nearest != "" {
				problems = append(problems, p)
			}
		}
	}
	return problems
}

// isSlip reports whether a key that is not known holds all arguments: "Args", or anything with a parameter in it when none is given.
func (rd *reading) isSlip(key string) bool {
	for value := range rd.call.values(key) {
		text := value.of(rd.call.text)
		switch {
		case text == "null" || text == `""` || text == "{}" || text == "[]" || parameter(rd.option, key) != nil:
			continue
		case slices.ContainsFunc(argumentKeys, func(known string) bool { return sameLetters(key, known) }), slices.ContainsFunc(callKeys, func(known string) bool { return sameLetters(key, known) }):
			return true
		case text[0] != '{' || string(rd.args) != "{}" || rd.needs():
			continue
		}
		for _, m := range rd.call.inside(value).members {
			if p := parameter(rd.option, unquoted(m.key.of(rd.call.text))); p != nil && !p.Hidden() {
				return true
			}
		}
	}
	return false
}

// needs reports whether the option has a required parameter.
func (rd *reading) needs() bool {
	for p := range visible(rd.option) {
		if p.Required() {
			return true
		}
	}
	return false
}

// differs reports whether a parameter stands beside the arguments with another value than among them.
func (rd *reading) differs(key string) bool {
	if rd.beside || parameter(rd.option, key) == nil {
		return false
	}
	s := skimmer{text: string(rd.args)}
	s.value()
	given := call{text: s.text, members: s.members}
	for beside := range rd.call.values(key) {
		for among := range given.values(key) {
			if canonical(json.RawMessage(beside.of(rd.call.text))) != canonical(json.RawMessage(among.of(s.text))) {
				return true
			}
		}
	}
	return false
}

const maxExtra = 100 // keys beside a call that are looked at

// extraKeys are the keys beside the call that say neither the option nor its arguments.
func (rd *reading) extraKeys() []string {
	var extra []string
	for _, m := range rd.call.members {
		key := unquoted(m.key.of(rd.call.text))
		if len(key) > maxPlaceholder || slices.Contains(rd.call.keys, key) || slices.Contains(argumentKeys, key) {
			continue
		}
		if extra = append(extra, key); len(extra) == maxExtra {
			break
		}
	}
	return extra
}

// absent are the visible parameters that the arguments do not give.
func (rd *reading) absent() []string {
	s := skimmer{text: string(rd.args)}
	s.value()
	given := call{text: s.text, members: s.members}
	var absent []string
	for p := range visible(rd.option) {
		if !given.has(p.Name) {
			absent = append(absent, p.Name)
		}
	}
	return absent
}
