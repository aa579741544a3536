package server

import (
	"encoding/json"

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

// wireBlock has the fields of every type of block; which are set depends on the type.
type wireBlock struct {
	Type        string          `json:"type"`
	Text        *string         `json:"text,omitempty"`
	Data        []byte          `json:"data,omitzero"`
	URI         string          `json:"uri,omitempty"`
	Name        string          `json:"name,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	MIMEType    string          `json:"mimeType,omitempty"`
	Resource    *wireResource   `json:"resource,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
	Meta        json.RawMessage `json:"_meta,omitempty"`
}

type wireResource struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     []byte  `json:"blob,omitzero"`
}

// contentBlock is a block on the wire. One that can't be written is replaced by a text that says so.
func contentBlock(b registry.Block) mcp.Content {
	w := wireBlock{Type: b.Type, Annotations: b.Annotations, Meta: b.Meta}
	switch b.Type {
	case "text":
		w.Text = &b.Text
	case "image", "audio":
		w.Data, w.MIMEType = nonNil(b.Data), b.MIMEType
	case "resource_link":
		w.URI, w.Name, w.Title, w.Description, w.MIMEType = b.URI, b.Name, b.Title, b.Description, b.MIMEType
	case "resource":
		w.Resource = &wireResource{URI: b.URI, MIMEType: b.MIMEType}
		if b.Data != nil {
			w.Resource.Blob = b.Data
		} else {
			w.Resource.Text = &b.Text
		}
	default:
		return text("[a block of the unknown type " + plain(b.Type, 40) + " was left out]")
	}
	out, err := json.Marshal(w)
	if err != nil {
		return text("[a block was left out: its annotations or _meta are not JSON]")
	}
	return block{json: out}
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
