package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
	"github.com/mcp-decide/mcp-decide/validate"
)

// digested is what decides what a method does and who may have it done. Titles, summaries, descriptions,
// placeholders, labels and the order of parameters are wording and not in it, nor is Off: a secret that is missing
// for a while changes no method. Nor is Rate: how often a call may be made changes nothing about what it does. What models may see of
// a run, and of what happened before it, is in it: it decides what they answer.
type digested struct {
	Name         string
	Kind         Kind
	Effect       Effect
	Idempotent   bool
	Params       []digestedParam
	Returns      *digestedParam `json:",omitempty"`
	Timeout      time.Duration
	Approval     bool
	ApprovalIf   string
	StopOnCancel bool
	Source       string
	Pin          string
	Found        string
	Constant     string

	// Left out while they are not set: turns and calls on record have the digests of methods that said nothing of it.
	Expose      trace.Expose `json:",omitempty"`
	RenderRange *trace.Range `json:",omitempty"`
}

type digestedParam struct {
	Name     string
	Type     Type
	Enum     []string
	Default  string
	Optional bool
	Secret   bool
	Hidden   bool
	From     string
	Items    *digestedParam  `json:",omitempty"`
	Open     bool            // an object of any fields
	Fields   []digestedParam `json:",omitempty"`
	Keywords []string        `json:",omitempty"`
	Schema   string
}

// digestOf is the digest of a prepared method, as 64 hexadecimal digits. A Go function has no text that could be
// digested; its Source stands for it.
func digestOf(m *Method) string {
	d := digested{
		Name: m.Name, Kind: m.Kind, Effect: m.Effect, Idempotent: m.Idempotent, Params: digestedParams(m.Params),
		Timeout: m.Timeout, StopOnCancel: m.StopOnCancel, Source: m.Source, Pin: m.Pin, Found: m.Found, Constant: exactly(m.Constant),
		Expose: m.Expose, RenderRange: m.RenderRange,
	}
	if m.Returns != nil {
		returns := digestedOf(m.Returns)
		d.Returns = &returns
	}
	if m.Approval != nil {
		d.Approval, d.ApprovalIf = true, exactly(m.Approval.If)
	}
	return sumOf(d)
}

// runs is what a call runs. Its digest is written down for years: a field that comes to it, or to digestedParam, has to be left out of the
// JSON while it is empty, or an update would hold back every method of everybody.
type runs struct {
	Name         string
	Kind         Kind
	Params       []digestedParam `json:",omitempty"`
	StopOnCancel bool            `json:",omitempty"`
	Source       string          `json:",omitempty"`
	Pin          string          `json:",omitempty"`
}

// runDigestOf is the digest of what runs alone.
func runDigestOf(m *Method) string {
	r := runs{Name: m.Name, Kind: cmp.Or(m.Kind, Function)}
	if r.Kind == Function {
		r.Params, r.StopOnCancel, r.Source, r.Pin = digestedParams(m.Params), m.StopOnCancel, m.Source, m.Pin
	}
	return sumOf(r)
}

func sumOf(v any) string {
	text, _ := json.Marshal(v) // plain values: nothing in it can fail
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func digestedParams(params []Param) []digestedParam {
	out := make([]digestedParam, len(params))
	for i := range params {
		out[i] = digestedOf(&params[i])
	}
	slices.SortFunc(out, func(a, b digestedParam) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func digestedOf(p *Param) digestedParam {
	d := digestedParam{
		Name: p.Name, Type: p.Type, Default: exactly(p.Default), Optional: p.Optional, Secret: p.Secret, Hidden: p.Hidden(),
		From: p.From, Open: p.Type == Object && p.Fields == nil, Fields: digestedParams(p.Fields), Schema: withoutWording(p.Schema),
	}
	for _, v := range p.Enum {
		d.Enum = append(d.Enum, exactly(v))
	}
	if p.Items != nil {
		items := digestedOf(p.Items)
		d.Items = &items
	}
	for _, k := range p.Keywords {
		if !slices.Contains(wording, k.Name) {
			d.Keywords = append(d.Keywords, withoutWording(json.RawMessage("{"+strconv.Quote(k.Name)+":"+string(k.Value)+"}")))
		}
	}
	slices.Sort(d.Keywords)
	return d
}

// exactly is a JSON text in canonical form.
func exactly(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	v, err := validate.Decode(raw)
	if err != nil {
		return string(raw)
	}
	return string(canonical(v))
}

// wording are the JSON Schema words that change no check.
var wording = []string{"title", "description", "examples", "example", "$comment", "deprecated"}

// schemaMaps are the words whose value holds schemas by names of their own.
var schemaMaps = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}

// verbatim are the words whose value is data, however much it looks like a schema.
var verbatim = []string{"const", "enum", "default"}

// withoutWording is a JSON Schema in canonical form without the words that change no check.
func withoutWording(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	v, err := validate.Decode(raw)
	if err != nil {
		return string(raw)
	}
	return string(canonical(plainSchema(v)))
}

func plainSchema(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = plainSchema(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for word, value := range v {
			switch {
			case slices.Contains(wording, word):
			case slices.Contains(verbatim, word):
				out[word] = value
			case slices.Contains(schemaMaps, word):
				out[word] = plainMembers(value)
			default:
				out[word] = plainSchema(value)
			}
		}
		return out
	}
	return v
}

func plainMembers(v any) any {
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := maps.Clone(members)
	for name, schema := range out {
		out[name] = plainSchema(schema)
	}
	return out
}
