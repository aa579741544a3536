package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Where the resources stand.
const (
	methodURIs   = "decide://methods/"
	decisionURIs = "decide://decisions/"
	statsURI     = "decide://stats"
	traceURIs    = "decide://traces/"
	menuEnd      = "/menu"
	nameVar      = "{name}" // in the templates
	idVar        = "{id}"
)

func (s *Server) methodResource(m *registry.Method) sdk.ServerResource {
	return sdk.ServerResource{
		Resource: mcp.Resource{
			URI:         methodURIs + url.PathEscape(m.Name),
			Name:        m.Name,
			Title:       cmp.Or(plain(m.Title, 100), registry.TitleOf(m.Name)),
			Description: plain(m.Summary, maxDescription),
			MIMEType:    "application/json",
		},
		Handler: s.readResource,
	}
}

func (s *Server) menuResource(d *decide.Decision) sdk.ServerResource {
	return sdk.ServerResource{
		Resource: mcp.Resource{
			URI:         decisionURIs + url.PathEscape(d.Name) + menuEnd,
			Name:        d.Name + " menu",
			Title:       cmp.Or(plain(d.Title, 100), registry.TitleOf(d.Name)) + ": menu",
			Description: "The options of the decision " + d.Name + " as a menu. Reading it opens no turn.",
			MIMEType:    "text/plain",
		},
		Handler: s.readResource,
	}
}

func (s *Server) templates() []sdk.ServerResourceTemplate {
	templates := []sdk.ServerResourceTemplate{
		{
			Template: mcp.NewResourceTemplate(methodURIs+nameVar, "method",
				mcp.WithTemplateTitle("Method"),
				mcp.WithTemplateDescription("One method: what it does, its schemas and its entry in a menu."),
				mcp.WithTemplateMIMEType("application/json")),
			Handler: s.readResource,
		},
		{
			Template: mcp.NewResourceTemplate(decisionURIs+nameVar+menuEnd, "menu",
				mcp.WithTemplateTitle("Menu"),
				mcp.WithTemplateDescription("The options of one decision as a menu. Reading it opens no turn."),
				mcp.WithTemplateMIMEType("text/plain")),
			Handler: s.readResource,
		},
	}
	if s.traces != nil {
		templates = append(templates, s.traceTemplate())
	}
	return templates
}

// readResource serves every resource, from its URI.
func (s *Server) readResource(ctx context.Context, req mcp.ReadResourceRequest) (contents []mcp.ResourceContents, err error) {
	defer func() {
		if p := recover(); p != nil {
			contents, err = nil, s.panicked(methodRead, p)
		}
	}()
	uri, v := req.Params.URI, s.viewOf(ctx)
	if m := s.methodAt(ctx, v, uri); m != nil {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: "application/json", Text: describe(m)}}, nil
	}
	if s.counts != nil && uri == statsURI {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: "application/json", Text: statsOf(s.counts.Read(), v)}}, nil
	}
	if id, ok := s.traceAt(uri); ok {
		text, err := s.traceOf(ctx, id)
		switch {
		case err == nil:
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: "application/json", Text: text}}, nil
		case !errors.Is(err, trace.ErrNoRecord):
			return nil, s.internal(methodRead, err)
		}
	}
	if d := decisionAt(v, uri); d != nil {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: v.Menu(d)}}, nil
	}
	code := codeResourceNotFound
	if sdk.IsModernRequest(ctx) {
		code = codeInvalidParams
	}
	return nil, noSuchResource(code, uri)
}

func noSuchResource(code int, uri string) *fault {
	f := newFault(code, "no such resource; resources/list names them")
	f.data = map[string]string{"uri": uri}
	return f
}

// uri is what a request to read names.
func (e *exchange) uri() string {
	var params struct{ URI string }
	_ = json.Unmarshal(e.params, &params) // the SDK has read them
	return params.URI
}

func (s *Server) methodAt(ctx context.Context, v *decide.View, uri string) *registry.Method {
	rest, ok := strings.CutPrefix(uri, methodURIs)
	name, err := url.PathUnescape(rest)
	if !ok || err != nil {
		return nil
	}
	for _, m := range v.Methods.Available(s.callerOf(ctx)) {
		if m.Name == name {
			return m
		}
	}
	return nil
}

func decisionAt(v *decide.View, uri string) *decide.Decision {
	rest, ok := strings.CutPrefix(uri, decisionURIs)
	if !ok {
		return nil
	}
	if rest, ok = strings.CutSuffix(rest, menuEnd); !ok {
		return nil
	}
	name, err := url.PathUnescape(rest)
	if err != nil {
		return nil
	}
	d, _ := v.Decision(name)
	return d
}

// description is a method as a resource.
type description struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Summary      string          `json:"summary"`
	Description  string          `json:"description,omitempty"`
	Kind         registry.Kind   `json:"kind"`
	Effect       registry.Effect `json:"effect"`
	Idempotent   bool            `json:"idempotent"`
	OpenWorld    bool            `json:"open_world"`
	Offer        registry.Offer  `json:"offer"`
	InputSchema  json.RawMessage `json:"input_schema"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Menu         string          `json:"menu"`
}

func describe(m *registry.Method) string {
	return indented(description{
		Name:         m.Name,
		Title:        cmp.Or(plain(m.Title, 100), registry.TitleOf(m.Name)),
		Summary:      plain(m.Summary, maxDescription),
		Description:  plain(m.Description, maxDescription),
		Kind:         cmp.Or(m.Kind, registry.Function),
		Effect:       effectOf(m),
		Idempotent:   m.Idempotent,
		OpenWorld:    m.OpenWorld,
		Offer:        cmp.Or(m.Offer, registry.OfferNative),
		InputSchema:  m.InputSchema(),
		OutputSchema: m.OutputSchema(),
		Menu:         decide.Entry(m),
	})
}

// indented is a value as JSON for people. It is one that has a JSON form: both schemas of a method were compiled.
func indented(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return b.String()
}
