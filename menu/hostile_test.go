package menu

import (
	"encoding/json"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// hostileShapes are texts that cost a careless reader more than their length.
var hostileShapes = map[string]string{
	"braces":            "{",
	"quoted braces":     `{"`,
	"open objects":      `{"a": `,
	"open single":       `{'a': `,
	"brackets":          "[",
	"list of objects":   "[{",
	"closing":           "}",
	"quotes":            `"`,
	"backslashes":       `\`,
	"escaped quotes":    `{"a": "\"`,
	"blank braces":      "{ ",
	"named braces":      "{a: ",
	"fences":            "```",
	"fence lines":       "```\n",
	"inline fences":     "``` a ",
	"foreign fences":    "```text a ",
	"foreign lines":     "```text\n",
	"tildes":            "~~~\n",
	"think":             "<think>",
	"think end":         "</think>",
	"thinking":          "<think>a</think>",
	"half tags":         "<think",
	"comments":          "<!--",
	"tokens":            "<|im_start|>",
	"half tokens":       "<|",
	"wide tokens":       "<｜tool▁calls▁begin｜>",
	"channels":          "<|channel|>analysis",
	"messages":          "<|channel|>final<|message|>",
	"marks":             "[THINK]",
	"diamonds":          "◁think▷",
	"picks":             `{"call": "done"}` + "\n",
	"glued picks":       `{"call": "done"}`,
	"surplus":           `{"call": "done"}}`,
	"different picks":   `{"call": "done"} {"call": "search", "args": {"query": "a"}}` + "\n",
	"mentions":          `a {"call": "done"} `,
	"broken picks":      `{"call": "done",} `,
	"unknown picks":     `{"call": "dune"}` + "\n",
	"placeholders":      `{"call": "search", "args": {"query": "<query>"}}` + "\n",
	"copies":            `    Call: {"call": "done"}` + "\n",
	"labels":            "a:\n" + `{"call": "done"}` + "\n",
	"corrections":       "Wait, " + `{"call": "done"}` + "\nWait, ",
	"sentences":         "a. ",
	"quotations":        "> {\n",
	"data":              `{"a": 1} `,
	"long line of data": `{"a": [1, {"b": "c"}]}, `,
	"nul":               "\x00",
	"zero width":        "\u200b",
	"colours":           "\x1b[32m",
	"blanks":            " ",
	"line feeds":        "\n",
	"bad UTF-8":         "\xff{",
	"numbers":           "1",
	"answer tags":       "<answer>",
	"invoke":            "<invoke name=",
	"invokes":           `<invoke name="search">`,
	"invoke parameters": `<invoke name="search"><parameter name="query">a`,
	"whole invokes":     `<invoke name="search"><parameter name="query">a</parameter></invoke>`,
	"blank invoke":      `<invoke name="search"          `,
	"functions":         "<function=search><parameter=query>a</parameter>",
	"whole functions":   "<function=search><parameter=query>a</parameter></function>\n",
	"tool calls":        "<tool_call>",
	"named tool calls":  "<tool_call>search ",
	"key and value":     "<tool_call>search<arg_key>query</arg_key><arg_value>",
	"whole key tags":    "<tool_use><tool_name>search</tool_name><parameters><query>a</query></parameters></tool_use>",
	"key tags":          "<tool_use><tool_name>search</tool_name><parameters><query>",
	"dsml":              `<｜DSML｜invoke name="search"><｜DSML｜parameter name="query" string="true">`,
	"dsml closers":      "</｜DSML｜",
	"tool calls marks":  "[TOOL_CALLS]",
	"mistral":           `[TOOL_CALLS]search[ARGS]{"query": "`,
	"whole mistral":     `[TOOL_CALLS]search[ARGS]{"query": "a"}`,
	"call begins":       "<｜tool▁call▁begin｜>search<｜tool▁sep｜>",
	"whole deepseek":    `<｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query": "a"}<｜tool▁call▁end｜>`,
	"whole kimi":        `<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"query": "a"}<|tool_call_end|>`,
	"recipients":        "<|start|>assistant to=functions.search<|channel|>commentary",
	"whole harmony":     `<|channel|>commentary to=functions.search<|message|>{"query": "a"}`,
	"python tags":       "<|python_tag|>search(",
	"brackets of calls": "[search(query=",
	"nested calls":      "search(query=",
	"call lines":        "\n\nsearch(query='a')\n\n",
	"half call lines":   "\nsearch(query=[1,",
	"quoted call lines": "\nsearch(query=\"\nsearch(query='",
	"call lists":        "[search(query='a'), ",
	"long call list":    "search(query='a'), ",
	"open parentheses":  "(",
	"tool code":         "```tool_code\nsearch(query='a')\n",
	"whole tool code":   "```tool_code\nsearch(query='a')\n```\n",
	"entities":          "&amp;",
	"tool responses":    "<tool_response>",
	"whole responses":   "<tool_response></tool_response>",
	"made-up outputs":   "<｜tool▁outputs▁begin｜>",
	"template braces":   "{{name}} ",
	"key fences":        "```yaml\ncall: done\n```\n",
	"open key fences":   "```yaml\ncall: done\n",
	"plain key fences":  "```\ncall: done\n",
	"key lines":         "call: done\n",
	"deep keys":         "  a:\n",
	"items":             "- a\n",
	"single quotes":     "'",
	"wide sentences":    "。",
	"wide corrections":  "等等，",
	"corrected picks":   "不对，\n" + `{"call": "done"}` + "。",
	"wide labels":       "例如：\n" + `{"call": "done"}` + "\n",
	"phrases":           "all is said. ",
	"glued phrases":     "all is said",
	"half phrases":      "all is all is ",
	"bold":              "** ",
}

// hostileFrames put a shape behind things that are looked back to.
var hostileFrames = map[string][2]string{
	"alone":           {"", ""},
	"after a pick":    {`{"call": "done"}` + "\n", ""},
	"after blanks":    {strings.Repeat(" ", 1<<16), ""},
	"in a text":       {`{"call": "search", "args": {"query": "`, `"}}`},
	"in args":         {`{"call": "search", "args": `, `}`},
	"in a fence":      {"```json\n", "\n```"},
	"in a list":       {"[", "]"},
	"in a parameter":  {`<invoke name="search"><parameter name="query">`, "</parameter></invoke>"},
	"in a call":       {"[search(query=", ")]"},
	"in a mention":    {"I might use ", " or so."},
	"before a pick":   {"", "\n" + `{"call": "done"}`},
	"in thinking":     {"<think>", "</think>"},
	"in key lines":    {"```yaml\ncall: search\nargs:\n", "\n```"},
	"in a value":      {"```yaml\ncall: search\nquery: ", "\n```"},
	"after an answer": {"<answer>", "</answer>"},
}

func hostileOptions() []registry.Option {
	options := []registry.Option{
		{Name: "done", Method: &registry.Method{Summary: "Finished.", Kind: registry.Value}},
		{Name: "search", Method: &registry.Method{Summary: "Search.", Params: []registry.Param{{Name: "query", Type: registry.String}}}},
	}
	for i := range 100 {
		options = append(options, registry.Option{Name: "dun_" + strings.Repeat("x", i%20+1), Method: &registry.Method{Summary: "Other."}})
	}
	return options
}

// TestHostileRepliesGrowLinearly reads each shape at two sizes: what is allocated may grow with the text and
// no faster. The larger texts are long enough that a step that is quadratic in time would not end within the
// time of the test. It does not run beside other tests, since it counts allocations.
func TestHostileRepliesGrowLinearly(t *testing.T) {
	options := hostileOptions()
	for name, shape := range hostileShapes {
		for frameName, frame := range hostileFrames {
			size := 1 << 16
			if frameName == "alone" {
				size = 1 << 18
			}
			if testing.Short() || raced {
				size >>= 3
			}
			small, large := allocated(framed(frame, shape, size/8), options), allocated(framed(frame, shape, size), options)
			if large > 12*small+1<<20 {
				t.Errorf("%s %s: %d bytes are allocated for the small text, %d for one eight times as long", name, frameName, small, large)
			}
		}
	}
}

func framed(frame [2]string, shape string, size int) string {
	return frame[0] + strings.Repeat(shape, size/len(shape)+1) + frame[1]
}

// allocated is how many bytes reading a reply allocates.
func allocated(reply string, options []registry.Option) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, how := range []Reading{{}, {Cut: true}, {Phrases: []Phrase{{"all is said", "done"}, {"all is all is all", "done"}}}} {
		pick, err := Parse(reply, options, how)
		if err == nil && !json.Valid(pick.Args) {
			panic("arguments are no JSON")
		}
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func BenchmarkHostile(b *testing.B) {
	options := hostileOptions()
	for _, name := range slices.Sorted(maps.Keys(hostileShapes)) {
		reply := framed([2]string{}, hostileShapes[name], 1<<20)
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.SetBytes(int64(len(reply)))
			for b.Loop() {
				_, _ = Parse(reply, options, Reading{})
			}
		})
	}
}

// TestRepeatsChangeNothing: what is skipped because it repeats itself changes no reading. An explanation skips nothing.
func TestRepeatsChangeNothing(t *testing.T) {
	t.Parallel()
	options := hostileOptions()
	for name, shape := range hostileShapes {
		for frameName, frame := range map[string][2]string{
			"alone":         {"", ""},
			"between picks": {`{"call": "done"}` + "\n", "\n" + `{"call": "search", "args": {"query": "a"}}`},
			"before a pick": {"<answer>\n", "\n" + `{"call": "done"}`},
			"and half":      {"", shape[:len(shape)/2] + "\n" + `{"call": "done"}`},
		} {
			reply := framed(frame, shape, manyMarks+100)
			pick, err := Parse(reply, options, Reading{})
			slow, _, slowErr := Explain(reply, options, Reading{})
			if pick.Name != slow.Name || string(pick.Args) != string(slow.Args) || kindOrNone(err) != kindOrNone(slowErr) {
				t.Errorf("%s %s: %s, %v; without skipping %s, %v", name, frameName, pick.Name, err, slow.Name, slowErr)
			}
		}
	}
}

func kindOrNone(err error) validate.Kind {
	if err == nil {
		return ""
	}
	return kindOf(err)
}
