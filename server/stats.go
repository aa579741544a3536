package server

import (
	"context"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/trace"
)

func (s *Server) statsResource() sdk.ServerResource {
	return sdk.ServerResource{
		Resource: mcp.Resource{
			URI:         statsURI,
			Name:        "stats",
			Title:       "Statistics",
			Description: "What came of the answers to turns since this process started, in all and for each decision. Numbers alone.",
			MIMEType:    "application/json",
		},
		Handler: s.readResource,
	}
}

// keepNoStats tells clients of the newer era, which keep what they read, that numbers and traces change with every answer.
func keepNoStats(ctx context.Context, _ any, req *mcp.ReadResourceRequest, result *mcp.ReadResourceResult) {
	if changes := req.Params.URI == statsURI || strings.HasPrefix(req.Params.URI, traceURIs); changes && result != nil && sdk.IsModernRequest(ctx) {
		result.SetCacheHints(0, mcp.CacheScopePrivate)
	}
}

// stats is what the resource says. It holds numbers under names of the configuration and words of ours, so everybody who may read the menus
// may read it.
type stats struct {
	Since time.Time `json:"since"`
	figures
	Decisions map[string]figures `json:"decisions"` // those that are offered now
}

// figures are the numbers of some turns. Each sum but that of first replies counts answers.
type figures struct {
	Opened       int                       `json:"turns_opened"`
	Answers      map[string]int            `json:"answers"`    // by outcome
	Strategies   map[string]map[string]int `json:"strategies"` // by how they were read, then by outcome
	FirstReplies firsts                    `json:"first_replies"`
	Repaired     int                       `json:"repaired"`
	Retries      int                       `json:"retries"`
	SafeDefaults int                       `json:"safe_defaults"`
	Exhausted    int                       `json:"exhausted"`
}

// firsts says how often the first reply was taken.
type firsts struct {
	Answered int      `json:"answered"`
	Taken    int      `json:"taken"`
	Success  *float64 `json:"success"` // taken ÷ answered; null before there is an answer
}

// statsOf words the numbers for a view.
func statsOf(n trace.Numbers, v *decide.View) string {
	s := stats{Since: n.Since.UTC().Truncate(time.Millisecond), figures: figuresOf(n.All), Decisions: map[string]figures{}}
	for _, d := range v.Decisions() {
		s.Decisions[d.Name] = figuresOf(n.Decisions[d.Name])
	}
	return indented(s)
}

func figuresOf(t trace.Tally) figures {
	f := figures{
		Opened:       t.Opened,
		Answers:      map[string]int{},
		Strategies:   map[string]map[string]int{},
		FirstReplies: firsts{Answered: t.Firsts, Taken: t.FirstsOK},
		Repaired:     t.Repaired,
		Retries:      t.Retries,
		SafeDefaults: t.Defaults,
		Exhausted:    t.Exhausted,
	}
	for a, n := range t.Answers {
		f.Answers[a.Outcome] += n
		if f.Strategies[a.Strategy] == nil {
			f.Strategies[a.Strategy] = map[string]int{}
		}
		f.Strategies[a.Strategy][a.Outcome] += n
	}
	if t.Firsts > 0 {
		success := float64(t.FirstsOK) / float64(t.Firsts)
		f.FirstReplies.Success = &success
	}
	return f
}
