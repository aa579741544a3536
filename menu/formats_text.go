package menu

import (
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// put adds an argument whose value is plain text, as formats of tags have it. The type that the option declares says how it is
// read, in the spelling of JSON alone: what is not that stays a text, so that the checks say what is wrong with it.
func (d *draft) put(key, text string) {
	d.key(key)
	var p *registry.Param
	if d.option != nil {
		p = parameter(d.option, key)
	}
	if value := trimUnseen(text); isWritten(p, value) {
		d.args = append(d.args, value...)
		return
	}
	d.args = appendText(d.args, withoutBreaks(text))
}

func (d *draft) key(key string) {
	if len(d.args) == 0 {
		d.args = append(d.args, '{')
	} else {
		d.args = append(d.args, ',')
	}
	d.args = append(appendText(d.args, key), ':')
}

// close ends the argument object.
func (d *draft) close() {
	if len(d.args) == 0 {
		d.args = append(d.args, '{')
	}
	d.args = append(d.args, '}')
}

// isWritten reports whether a text is a JSON value of the type that p declares, or null. Texts are not written as JSON.
func isWritten(p *registry.Param, text string) bool {
	if p == nil || text == "" {
		return false
	}
	p = readable(p)
	if p.Type == registry.String || hasTexts(p) {
		return false
	}
	k := skimmer{text: text}
	if !k.value() || k.pos != len(text) || text[0] == '<' {
		return false
	}
	if text == "null" {
		return true
	}
	switch p.Type {
	case registry.Boolean:
		return text == "true" || text == "false"
	case registry.Integer, registry.Number:
		return text[0] == '-' || isDigit(text[0])
	case registry.Array:
		return text[0] == '['
	case registry.Object:
		return text[0] == '{'
	}
	return true
}

// withoutBreaks takes the line break behind an opening tag and the one before a closing tag, with the indent of that tag.
func withoutBreaks(text string) string {
	if rest, ok := strings.CutPrefix(text, "\r\n"); ok {
		text = rest
	} else {
		text = strings.TrimPrefix(text, "\n")
	}
	if end := strings.TrimRight(text, " \t"); strings.HasSuffix(end, "\n") {
		text = strings.TrimSuffix(end[:len(end)-1], "\r")
	}
	return text
}

// structure are the tags of formats. In the text of an argument one of them may as well be a part of the call whose closing tag
// is damaged.
var structure = set("function invoke parameter parameters arg_key arg_value tool_name tool_call tool_calls function_call function_calls" +
	" tool_use arguments s start_of_turn end_of_turn eos")

// doubtOf says why the text of an argument between tags has several readings; "" = it has one. Nothing is decoded: some who write
// such tags escape < and & as XML does and others don't, so that "&lt;" may mean either. own is the tag around it.
func doubtOf(text, own string) string {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '&':
			if isEntity(text[i:]) {
				return "an entity like &amp; stands in a text, which may be meant or not"
			}
		case '<':
			if isStructure(text[i:], own) {
				return "a tag or a token of a call stands inside an argument"
			}
		}
	}
	return ""
}

// doubtOfRaw is doubtOf for a format that says that its texts are not escaped.
func doubtOfRaw(text, own string) string {
	for i := 0; i < len(text); i++ {
		if text[i] == '<' && isStructure(text[i:], own) {
			return "a tag or a token of a call stands inside an argument"
		}
	}
	return ""
}

// isStructure reports whether a tag of a format, damaged or not, or a control token starts here.
func isStructure(rest, own string) bool {
	if strings.HasPrefix(rest, "<|") || strings.HasPrefix(rest, "<｜") || strings.HasPrefix(rest, "</｜") || strings.HasPrefix(rest, "<![CDATA[") {
		return true
	}
	rest = strings.TrimPrefix(rest[1:], "/")
	for _, space := range namespaces {
		rest = strings.TrimPrefix(rest, space)
	}
	n := 0
	for n < min(len(rest), maxTagName) && nameBytes[rest[n]] {
		n++
	}
	return structure[strings.ToLower(rest[:n])] || own != "" && strings.HasPrefix(rest, own)
}

// isEntity reports whether an entity that XML has starts here.
func isEntity(rest string) bool {
	end := strings.IndexByte(rest[:min(len(rest), 12)], ';')
	if end < 2 {
		return false
	}
	switch name := strings.ToLower(rest[1:end]); name {
	case "amp", "lt", "gt", "quot", "apos", "nbsp":
		return true
	default:
		return name[0] == '#'
	}
}
