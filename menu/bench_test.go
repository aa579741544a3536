package menu

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

// BenchmarkRender1000 writes menus of 1,000 methods: at first, when each option's text has to be written, and then, when the texts are there. One
// in ten methods has a whole JSON Schema as a parameter.
func BenchmarkRender1000(b *testing.B) {
	methods := make([]registry.Method, 1000)
	for i := range methods {
		o := ticketAsk(b).Options[i%2]
		methods[i] = *o.Method
		methods[i].Name = fmt.Sprint(o.Name, i)
		if i%10 == 0 {
			methods[i].Params = append(methods[i].Params, registry.Param{Name: "to", Optional: true, Schema: json.RawMessage(
				`{"type": "object", "description": "Where it goes.", "properties": {"street": {"type": "string", "maxLength": 80}, "lines": {"type": "array", "items": {"type": "string"}}}, "required": ["street"]}`)})
		}
	}
	fresh := func() []registry.Option {
		options := make([]registry.Option, len(methods))
		for i := range methods {
			options[i] = registry.Option{Name: methods[i].Name, Method: prepared(b, methods[i])}
		}
		return options
	}
	for _, style := range []Style{Full, Compact, Classic} {
		b.Run(string(style)+"/first", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				options := fresh()
				b.StartTimer()
				Render(style, options)
			}
		})
		b.Run(string(style)+"/then", func(b *testing.B) {
			options := fresh()
			Render(style, options)
			b.ReportAllocs()
			for b.Loop() {
				Render(style, options)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	options := corpusMenus(b)["notes"]
	pick := func(body int) string {
		return `{"call": "write_note", "args": {"title": "log", "body": "` + strings.Repeat("lorem ipsum ", body/12) + `"}}`
	}
	prose := strings.Repeat("The parcel is three weeks late, so money back is fair. ", 1<<14)
	for _, c := range []struct{ name, reply string }{
		{"clean_1KB", pick(940)},
		{"prose", prose + "\n" + pick(10)},
		{"prose_behind", pick(10) + "\n" + prose},
		{"prose_only", prose},
		{"string_1MB", pick(1 << 20)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.reply)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = Parse(c.reply, options, Reading{})
			}
		})
	}
	b.Run("of_1000", func(b *testing.B) {
		var many []registry.Option
		for i := range 1000 {
			o := options[0]
			o.Name = fmt.Sprint("write_note_", i)
			many = append(many, o)
		}
		reply := strings.Replace(pick(10), "write_note", "write_note_999", 1)
		for b.Loop() {
			if _, err := Parse(reply, many, Reading{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
