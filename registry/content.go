package registry

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

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

// Image makes an image block of the bytes of a file of that MIME type.
func Image(data []byte, mimeType string) Block {
	return Block{Type: "image", Data: data, MIMEType: mimeType}
}

// Audio makes an audio block of the bytes of a file of that MIME type.
func Audio(data []byte, mimeType string) Block {
	return Block{Type: "audio", Data: data, MIMEType: mimeType}
}

// Link makes a block that points at a resource.
func Link(uri, name string) Block { return Block{Type: "resource_link", URI: uri, Name: name} }

// Resource makes a block that holds a text resource.
func Resource(uri, mimeType, text string) Block {
	return Block{Type: "resource", URI: uri, MIMEType: mimeType, Text: text}
}

// Blob makes a block that holds a binary resource.
func Blob(uri, mimeType string, data []byte) Block {
	if data == nil {
		data = []byte{}
	}
	return Block{Type: "resource", URI: uri, MIMEType: mimeType, Data: data}
}

// check says what keeps a block from being sent.
func (b *Block) check() error {
	switch {
	case b.Type == "image" || b.Type == "audio":
		if b.MIMEType == "" {
			return fmt.Errorf("the %s block has no MIME type", b.Type)
		}
	case b.Type == "resource_link" || b.Type == "resource":
		if b.URI == "" {
			return fmt.Errorf("the %s block has no URI", b.Type)
		}
		if b.Type == "resource_link" && b.Name == "" {
			return fmt.Errorf("the resource_link block %q has no name", cutText(b.URI, 80))
		}
	case b.Type != "text":
		return fmt.Errorf("%q is not a type of content block; they are text, image, audio, resource_link, resource",
			cutText(b.Type, 40))
	}
	for _, extra := range []json.RawMessage{b.Annotations, b.Meta} {
		if len(extra) > 0 && (extra[0] != '{' || !json.Valid(extra)) {
			return fmt.Errorf("annotations or meta of the %s block are not a JSON object", b.Type)
		}
	}
	return nil
}

// beside is the number of characters that a block has beside its text and its data.
func (b *Block) beside() int {
	n := len(b.Annotations) + len(b.Meta)
	for _, text := range []string{b.MIMEType, b.URI, b.Name, b.Title, b.Description} {
		n += utf8.RuneCountInString(text)
	}
	return n
}

// sound is the block with all of its texts in valid UTF-8, as the wire needs it.
func (b Block) sound() Block {
	for _, text := range []*string{&b.Text, &b.MIMEType, &b.URI, &b.Name, &b.Title, &b.Description} {
		*text = sound(*text)
	}
	for _, raw := range []*json.RawMessage{&b.Annotations, &b.Meta} {
		if !utf8.Valid(*raw) {
			*raw = json.RawMessage(sound(string(*raw)))
		}
	}
	return b
}

// wireBlock is a content block as it stands in the protocol.
type wireBlock struct {
	Type        string          `json:"type"`
	Text        *string         `json:"text,omitempty"`
	Data        *[]byte         `json:"data,omitempty"`
	MIMEType    string          `json:"mimeType,omitempty"`
	URI         string          `json:"uri,omitempty"`
	Name        string          `json:"name,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Resource    *wireResource   `json:"resource,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
	Meta        json.RawMessage `json:"_meta,omitempty"`
}

type wireResource struct {
	URI      string  `json:"uri"`
	MIMEType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *[]byte `json:"blob,omitempty"`
}

// MarshalJSON writes the block as in the protocol.
func (b Block) MarshalJSON() ([]byte, error) {
	w := wireBlock{Type: b.Type, Annotations: b.Annotations, Meta: b.Meta}
	switch b.Type {
	case "text":
		w.Text = &b.Text
	case "image", "audio":
		w.Data, w.MIMEType = &b.Data, b.MIMEType
		if b.Data == nil {
			w.Data = &[]byte{}
		}
	case "resource_link":
		w.URI, w.Name, w.Title, w.Description, w.MIMEType = b.URI, b.Name, b.Title, b.Description, b.MIMEType
	case "resource":
		w.Resource = &wireResource{URI: b.URI, MIMEType: b.MIMEType}
		if b.Data != nil {
			w.Resource.Blob = &b.Data
		} else {
			w.Resource.Text = &b.Text
		}
	default:
		return nil, b.check()
	}
	return encodeJSON(w)
}

// UnmarshalJSON reads a block as in the protocol.
func (b *Block) UnmarshalJSON(raw []byte) error {
	var w wireBlock
	if err := json.Unmarshal(raw, &w); err != nil {
		return fmt.Errorf("content block: %w", err)
	}
	*b = Block{Type: w.Type, MIMEType: w.MIMEType, URI: w.URI, Name: w.Name, Title: w.Title,
		Description: w.Description, Annotations: w.Annotations, Meta: w.Meta}
	if w.Text != nil {
		b.Text = *w.Text
	}
	if w.Data != nil {
		b.Data = *w.Data
	}
	if r := w.Resource; r != nil {
		b.URI, b.MIMEType = r.URI, r.MIMEType
		if r.Text != nil {
			b.Text = *r.Text
		}
		if r.Blob != nil {
			b.Data = *r.Blob
		}
	}
	return b.check()
}
