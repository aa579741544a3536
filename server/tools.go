package server

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// maxDescription is what clients keep of a description, in bytes.
const maxDescription = 2000

// nativeTool is a method as a tool.
func (s *Server) nativeTool(m *registry.Method) sdk.ServerTool {
	return sdk.ServerTool{
		Tool: mcp.Tool{
			Name:            m.Name,
			Title:           cmp.Or(plain(m.Title, 100), registry.TitleOf(m.Name)),
			Description:     plain(cmp.Or(m.Description, m.Summary), maxDescription),
			RawInputSchema:  m.InputSchema(),
			RawOutputSchema: m.OutputSchema(),
			Annotations:     hintsOf(m),
		},
		Handler: s.guarded(s.call(m.Name)),
	}
}

// decisionTool is a decision as a tool that opens a turn on it.
func (s *Server) decisionTool(d *decide.Decision) sdk.ServerTool {
	const opens = "Opens a turn and returns its options as a text menu. Nothing runs until one of them is picked."
	return sdk.ServerTool{
		Tool: mcp.Tool{
			Name:           d.Name,
			Title:          cmp.Or(plain(d.Title, 100), registry.TitleOf(d.Name)),
			Description:    strings.TrimSpace(plain(d.Summary, maxDescription-len(opens)-1) + " " + opens),
			RawInputSchema: d.Inputs(),
			Annotations:    hints{readOnly: true}.annotation(),
		},
		Handler: s.guarded(s.open(d.Name)),
	}
}

// hints are what a client may believe of a tool. All four are always sent: what is left out counts as the worst.
type hints struct {
	readOnly, destructive, idempotent, openWorld bool
}

func (h hints) annotation() mcp.ToolAnnotation {
	return mcp.ToolAnnotation{
		ReadOnlyHint:    &h.readOnly,
		DestructiveHint: &h.destructive,
		IdempotentHint:  &h.idempotent,
		OpenWorldHint:   &h.openWorld,
	}
}

func hintsOf(m *registry.Method) mcp.ToolAnnotation {
	h := ofClass(effectOf(m))
	h.idempotent = h.idempotent || m.Idempotent
	h.openWorld = m.OpenWorld
	return h.annotation()
}

func ofClass(e registry.Effect) hints {
	return hints{
		readOnly:    e == registry.Read,
		idempotent:  e == registry.Read,
		destructive: e == registry.Destructive,
	}
}

func effectOf(m *registry.Method) registry.Effect {
	if m.Kind == registry.Value || m.Kind == registry.Form {
		return registry.Read
	}
	return m.Effect.Or()
}

// plain takes control and format characters out of a text for clients, save line ends and what joins letters,
// and cuts it to max bytes.
func plain(text string, max int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d':
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	text = strings.TrimSpace(text)
	if len(text) <= max {
		return text
	}
	cut := max - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.TrimSpace(text[:cut]) + "…"
}
