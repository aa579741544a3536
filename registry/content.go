package registry

import "encoding/json"

// Block is one MCP content block. Which fields count depends on Type, as in the protocol.
type Block struct {
	Type        string // text, image, audio, resource_link, resource
	Text        string // text; text of an embedded resource
	Data        []byte // image, audio; blob of an embedded resource
	MIMEType    string
	URI         string // resource_link, resource
	Name        string // resource_link
	Title       string // resource_link
	Description string // resource_link
	Annotations json.RawMessage
	Meta        json.RawMessage
}

// Text makes a text block.
func Text(s string) Block { return Block{Type: "text", Text: s} }
