package menu

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// exactReplies is the floor: how many of the corpus are read exactly as expected. It only goes up.
const exactReplies = 123

// TestCorpus reads the replies of the corpus. No reading may be a pick that no careful reader
// would take; how many are exact is a floor.
func TestCorpus(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	exact, refused := 0, []string{}
	for _, c := range corpusReplies(t) {
		got := c.read(menus[c.Menu])
		switch {
		case got.equal(c.Expect):
			exact++
		case slices.ContainsFunc(c.Also, got.equal):
			refused = append(refused, c.ID+" "+got.String())
		case got.Error == "":
			t.Errorf("%s: wrong pick %s; want %s (%s)", c.ID, got, c.Expect, c.Why)
		case c.Expect.Error == "":
			refused = append(refused, c.ID+" "+got.String())
		default:
			t.Errorf("%s: %s; want %s (%s)", c.ID, got, c.Expect, c.Why)
		}
	}
	if exact < exactReplies {
		t.Errorf("%d replies are read exactly, at least %d were before; the others:\n%s", exact, exactReplies, strings.Join(refused, "\n"))
	}
	t.Logf("%d exact; refused or otherwise accepted:\n%s", exact, strings.Join(refused, "\n"))
}

type corpusReply struct {
	ID, Menu, Mode, Reply, Why string
	Parts                      parts
	Expect                     outcome
	Also                       []outcome
}

// parts is a text as [[text, times], ...].
type parts [][2]any

func (p parts) String() string {
	var b strings.Builder
	for _, part := range p {
		text, times := part[0].(string), part[1].(float64)
		b.WriteString(strings.Repeat(text, int(times)))
	}
	return b.String()
}

// outcome is a pick with its arguments, or the kind of an error.
type outcome struct {
	Call  string
	Args  json.RawMessage
	Error validate.Kind
}

func (o outcome) isZero() bool { return o.Call == "" && o.Error == "" }

func (o outcome) String() string {
	if o.Error != "" {
		return string(o.Error)
	}
	return o.Call + " " + head(string(o.Args), 200)
}

// equal compares arguments by value: 12 is 12.0, integers are exact.
func (o outcome) equal(want outcome) bool {
	if o.Error != want.Error || o.Call != want.Call {
		return false
	}
	return o.Error != "" || byValue(o.Args) == byValue(want.Args)
}

func byValue(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "not JSON: " + string(raw)
	}
	text, err := json.Marshal(valued(v))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func valued(v any) any {
	switch v := v.(type) {
	case json.Number:
		n, _, err := big.ParseFloat(string(v), 10, 2000, big.ToNearestEven)
		if err != nil {
			return string(v)
		}
		if n.Sign() == 0 {
			return "number 0" // without the sign
		}
		return "number " + n.Text('g', 600)
	case []any:
		for i := range v {
			v[i] = valued(v[i])
		}
	case map[string]any:
		if list, ok := v["$parts"].([]any); ok {
			var p parts
			for _, part := range list {
				part := part.([]any)
				times, _ := part[1].(json.Number).Float64()
				p = append(p, [2]any{part[0], times})
			}
			return p.String()
		}
		for k := range v {
			v[k] = valued(v[k])
		}
	}
	return v
}

func (c corpusReply) read(options []registry.Option) outcome {
	reply := c.Reply
	if c.Parts != nil {
		reply = c.Parts.String()
	}
	return readOutcome(reply, options, Reading{Lenient: c.Mode == "lenient"})
}

// readOutcome parses a reply and checks its arguments as the engine does.
func readOutcome(reply string, options []registry.Option, how Reading) outcome {
	pick, err := Parse(reply, options, how)
	if err != nil {
		return outcome{Error: kindOf(err)}
	}
	i := slices.IndexFunc(options, func(o registry.Option) bool { return o.Name == pick.Name })
	bound, err := options[i].Method.Check(pick.Args)
	if err != nil {
		return outcome{Error: kindOf(err)}
	}
	var given any
	d := json.NewDecoder(bytes.NewReader(pick.Args))
	d.UseNumber()
	if err := d.Decode(&given); err != nil {
		return outcome{Error: "no JSON: " + validate.Kind(pick.Args)}
	}
	args, err := json.Marshal(kept(given, map[string]any(bound.Args)))
	if err != nil {
		return outcome{Error: validate.Kind(err.Error())}
	}
	return outcome{Call: pick.Name, Args: args}
}

// kept is what was given without what the checks dropped: unknown keys, and null for what is optional. Defaults, which
// they fill in, are not in it.
func kept(given, bound any) any {
	switch given := given.(type) {
	case map[string]any:
		bound, _ := bound.(map[string]any)
		for name, value := range given {
			if left, ok := bound[name]; !ok || value == nil && left != nil {
				delete(given, name)
				continue
			}
			given[name] = kept(value, bound[name])
		}
	case []any:
		bound, _ := bound.([]any)
		for i := range min(len(given), len(bound)) {
			given[i] = kept(given[i], bound[i])
		}
	}
	return given
}

func kindOf(err error) validate.Kind {
	var invalid *validate.Error
	if errors.As(err, &invalid) {
		return invalid.Kind
	}
	return validate.Kind("not a validate.Error: " + err.Error())
}

func corpusReplies(t testing.TB) []corpusReply {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "corpus", "replies.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []corpusReply
	scan := bufio.NewScanner(bytes.NewReader(data))
	scan.Buffer(nil, len(data)+1)
	for scan.Scan() {
		var c corpusReply
		if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		t.Fatal("no replies")
	}
	return all
}

// corpusParam is a parameter as menus.json describes it.
type corpusParam struct {
	Name, Type string
	Required   bool
	Enum       []json.RawMessage
	Items      *corpusParam
	Fields     []corpusParam
}

var corpusTypes = map[string]registry.Type{"str": registry.String, "int": registry.Integer, "float": registry.Number,
	"bool": registry.Boolean, "list": registry.Array, "dict": registry.Object}

func (c corpusParam) param() registry.Param {
	p := registry.Param{Name: c.Name, Type: corpusTypes[c.Type], Optional: !c.Required, Enum: c.Enum}
	if c.Items != nil {
		item := c.Items.param()
		item.Optional = false
		p.Items = &item
	}
	for _, f := range c.Fields {
		p.Fields = append(p.Fields, f.param())
	}
	return p
}

// corpusMenus are the menus of menus.json by name, ready to check.
func corpusMenus(t testing.TB) map[string][]registry.Option {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "corpus", "menus.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]struct {
		Rendered string
		Options  []struct {
			Name, Kind, Description string
			Value                   json.RawMessage
			Params                  []corpusParam
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	menus := map[string][]registry.Option{}
	for name, m := range file {
		for _, o := range m.Options {
			method := registry.Method{Name: o.Name, Summary: o.Description, Kind: registry.Kind(o.Kind), Constant: o.Value,
				Effect: registry.Read, Offer: registry.OfferMenu, Run: nothing}
			for _, p := range o.Params {
				method.Params = append(method.Params, p.param())
			}
			menus[name] = append(menus[name], registry.Option{Name: o.Name, Method: prepared(t, method)})
		}
		if got := Render(Classic, menus[name]); got != m.Rendered {
			t.Errorf("menu %s is\n%s\nwant\n%s", name, got, m.Rendered)
		}
	}
	return menus
}
