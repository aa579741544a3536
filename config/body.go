package config

import (
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// body reads what a request carries. A map or a list is sent as JSON, or as a form where Content-Type says so.
func (u *uses) body(at *path, n *node, e *Endpoint) *Body {
	switch {
	case n == nil || n.flawed:
		return nil
	case n.kind == null:
		u.fail(n.pos, at.String(), "the body is empty", "Write what is sent, or remove the key")
		return nil
	case n.size(maxBody) > maxBody:
		u.fail(n.pos, at.String(), fmt.Sprintf("more than %d values in one body", maxBody), "Let the caller give them as one parameter")
		return nil
	}
	if e.Method == "GET" || e.Method == "HEAD" {
		u.fail(n.pos, at.String(), e.Method+" carries no body", "Write the values into query, or method: POST")
	}
	media := mediaOf(e.Headers)
	if n.kind == text {
		return u.textBody(at, n, media)
	}
	v := u.value(at, n)
	form := media == formMedia
	if form {
		u.formFields(at, n)
	}
	return &Body{Value: &v, Form: form}
}

const formMedia = "application/x-www-form-urlencoded"

// mediaOf is the type of body that the headers name; "" when they name none, or a value does.
func mediaOf(headers []Field) string {
	for _, f := range headers {
		if strings.EqualFold(f.Name, "content-type") && f.Reference == "" && len(f.Value.Params()) == 0 {
			media, _, _ := strings.Cut(f.Value.String(), ";")
			return strings.ToLower(strings.TrimSpace(media))
		}
	}
	return ""
}

// textBody reads a body that is one text. In a text that others read as fields, a value could add fields of its own.
func (u *uses) textBody(at *path, n *node, media string) *Body {
	t := u.template(at, n)
	name, alone := t.Alone()
	if p := u.param(name); alone && p != nil && (p.Type == registry.Object || p.Type == registry.Array) {
		return &Body{Value: &Value{Param: name}}
	}
	if len(t.Params()) == 0 || alone {
		return &Body{Text: &t}
	}
	switch own := strings.TrimSpace(ownText(t)); {
	case media == formMedia, media == "application/json", strings.HasSuffix(media, "+json"):
		u.fail(n.pos, at.String(), "a value stands in this text as it is, so it could add fields of its own", `Write the body as a map: {name: "{value}"}`)
	case strings.HasPrefix(own, "{"), strings.HasPrefix(own, "["):
		u.warn(n.pos, at.String(), "a value stands in this text as it is, so it could add fields of its own", `Write the body as a map: {name: "{value}"}`)
	case strings.HasPrefix(own, "<"), strings.HasSuffix(media, "xml"), strings.HasSuffix(media, "html"):
		u.warn(n.pos, at.String(), "a value stands in this text as it is, so it could add elements of its own", "Bound what the values may hold, with pattern or enum")
	}
	return &Body{Text: &t}
}

// formFields refuses what a form can't hold.
func (u *uses) formFields(at *path, n *node) {
	if n.kind != mapping {
		u.fail(n.pos, at.String(), "a form is a map of fields", `Write body: {name: "{value}"}`)
		return
	}
	for _, e := range n.keys {
		if !e.value.scalar() {
			u.fail(e.value.pos, at.key(e.name).String(), "a field of a form holds no list and no map", "Write a text")
		}
	}
}

// value reads one value of a body.
func (u *uses) value(at *path, n *node) Value {
	switch n.kind {
	case text:
		if isReference(n.text) {
			u.warn(n.pos, at.String(), "this is sent as it stands: a reference is read in query, headers and auth alone", "Write a parameter that is filled in, {type: string, from: env:NAME}, and its name here in braces")
		}
		t := u.template(at, n)
		if name, alone := t.Alone(); alone {
			return Value{Param: name}
		}
		return Value{Text: &t}
	case list:
		v := Value{Items: []Value{}}
		for i, item := range n.items {
			v.Items = append(v.Items, u.value(at.index(i), item))
		}
		return v
	case mapping:
		v := Value{Members: []Member{}}
		for _, e := range n.keys {
			where := at.key(e.name)
			if u.mentions(e.name) {
				u.fail(e.pos, where.String(), "a placeholder in a key", "Write the key out; values stand behind it")
			}
			v.Members = append(v.Members, Member{e.name, u.value(where, e.value)})
		}
		return v
	}
	return Value{Raw: n.json()}
}

// size counts the values in n, and stops when there are more than most.
func (n *node) size(most int) int {
	count := 1
	for i := 0; i < len(n.items) && count <= most; i++ {
		count += n.items[i].size(most - count)
	}
	for i := 0; i < len(n.keys) && count <= most; i++ {
		count += n.keys[i].value.size(most - count)
	}
	return count
}
