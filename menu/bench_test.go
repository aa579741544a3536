package menu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

func BenchmarkRender1000(b *testing.B) {
	options := ticketAsk(b).Options
	for len(options) < 1000 {
		o := options[len(options)%2]
		o.Name = fmt.Sprint(o.Name, len(options))
		options = append(options, o)
	}
	for _, style := range []Style{Full, Compact, Classic} {
		b.Run(string(style), func(b *testing.B) {
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
