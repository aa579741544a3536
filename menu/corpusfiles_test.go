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

// corpusReply is one case of testdata/corpus, as its README says.
type corpusReply struct {
	ID, Group, Source, Menu, Mode, Reply, Why string
	Cut                                       bool
	Parts                                     parts
	Expect                                    outcome
	Also                                      []outcome
	file                                      string
}

func (c corpusReply) text() string {
	if c.Parts != nil {
		return c.Parts.String()
	}
	return c.Reply
}

func (c corpusReply) how() Reading { return Reading{Lenient: c.Mode == "lenient", Cut: c.Cut} }

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

// corpusReplies are the cases of replies.jsonl and of all own*.jsonl, in the order of the files' names.
func corpusReplies(t testing.TB) []corpusReply {
	t.Helper()
	var all []corpusReply
	for _, file := range corpusFiles(t, "*.jsonl") {
		scan := bufio.NewScanner(bytes.NewReader(corpusData(t, file)))
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			c := corpusReply{file: filepath.Base(file)}
			d := json.NewDecoder(bytes.NewReader(scan.Bytes()))
			d.DisallowUnknownFields()
			if err := d.Decode(&c); err != nil {
				t.Fatalf("%s: %v in %s", c.file, err, scan.Text())
			}
			all = append(all, c)
		}
		if err := scan.Err(); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return all
}

func corpusFiles(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "corpus", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	return files
}

func corpusData(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// corpusParam is a parameter as menus.json describes it.
type corpusParam struct {
	Name, Type string
	Required   bool
	Enum       []json.RawMessage
	Items      *corpusParam
	Fields     []corpusParam

	Minimum, Maximum json.RawMessage
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
	for _, word := range []registry.Keyword{{Name: "minimum", Value: c.Minimum}, {Name: "maximum", Value: c.Maximum}} {
		if word.Value != nil {
			p.Keywords = append(p.Keywords, word)
		}
	}
	return p
}

// corpusMenus are the menus of menus.json and own-menus.json by name, ready to check.
func corpusMenus(t testing.TB) map[string][]registry.Option {
	t.Helper()
	menus := map[string][]registry.Option{}
	for _, file := range corpusFiles(t, "*menus.json") {
		readCorpusMenus(t, corpusData(t, file), menus)
	}
	return menus
}

func readCorpusMenus(t testing.TB, data []byte, menus map[string][]registry.Option) {
	t.Helper()
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
	for name, m := range file {
		for _, o := range m.Options {
			method := registry.Method{Name: o.Name, Summary: o.Description, Kind: registry.Kind(o.Kind), Constant: o.Value,
				Effect: registry.Read, Offer: registry.OfferMenu, Run: nothing}
			for _, p := range o.Params {
				method.Params = append(method.Params, p.param())
			}
			menus[name] = append(menus[name], registry.Option{Name: o.Name, Method: prepared(t, method)})
		}
		if got := Render(Classic, menus[name]); m.Rendered != "" && got != m.Rendered {
			t.Errorf("menu %s is\n%s\nwant\n%s", name, got, m.Rendered)
		}
	}
}
