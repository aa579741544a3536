package server

import (
	"encoding/json"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-decide/mcp-decide/registry"
)

// block is a content block of a method as it goes out. It takes the place of the SDK's own types, which would
// leave out what they do not know of annotations and round the numbers in _meta.
type block struct {
	mcp.TextContent // only to be one of the SDK's kinds of content
	json            json.RawMessage
}

func (b block) MarshalJSON() ([]byte, error) { return b.json, nil }

func text(s string) mcp.Content { return contentBlock(registry.Text(s)) }

// contentBlock is a block on the wire. One that can't be written is replaced by a text that says so. A plain text, which most are,
// loses nothing in the SDK's own type, and is written once instead of twice.
func contentBlock(b registry.Block) mcp.Content {
	if b.Type == "text" && b.Annotations == nil && b.Meta == nil {
		return mcp.TextContent{Type: "text", Text: b.Text}
	}
	out, err := b.MarshalJSON()
	if err != nil {
		return text("[a block of the type " + strconv.Quote(plain(b.Type, 40)) + " was left out: it can't be written]")
	}
	return block{json: out}
}
