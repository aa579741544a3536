package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// catalog is all that a client can list, made once per view. The SDK sorts each list by name; the order of
// parameters inside a schema is the declared one.
type catalog struct {
	view      *decide.View // that it shows
	methods   *registry.Snapshot
	decisions []*decide.Decision

	tools     []sdk.ServerTool
	prompts   []sdk.ServerPrompt
	resources []sdk.ServerResource
	picks     []registry.Effect // whose pick tools are listed, mild to severe
}

// build makes the catalog of a view.
func (s *Server) build(v *decide.View) (*catalog, error) {
	c := &catalog{view: v, methods: v.Methods, decisions: v.Decisions()}
	if err := s.checkNames(c); err != nil {
		return nil, err
	}
	if err := s.checkSchemas(c); err != nil {
		return nil, err
	}
	for _, m := range v.Methods.Available(s.caller) {
		if s.offersTool(m) {
			c.tools = append(c.tools, s.nativeTool(m))
		}
		c.resources = append(c.resources, s.methodResource(m))
	}
	for _, d := range c.decisions {
		c.tools = append(c.tools, s.decisionTool(d))
		c.prompts = append(c.prompts, s.prompt(d))
		c.resources = append(c.resources, s.menuResource(d))
	}
	if s.counts != nil {
		c.resources = append(c.resources, s.statsResource())
	}
	for _, p := range picksNeeded(v, c.decisions) {
		c.tools = append(c.tools, s.pickTool(p))
		c.picks = append(c.picks, p.class)
	}
	return c, nil
}

// offersTool reports whether a method is a tool of its own.
func (s *Server) offersTool(m *registry.Method) bool {
	offer := m.Offer
	if s.offer != "" {
		offer = s.offer
	}
	return offer != registry.OfferMenu
}

// helperNames are taken, whether a helper is listed now or not: a configuration that grows an option must not
// clash all of a sudden.
var helperNames = []string{"pick_read", "pick_write", "pick_destructive", "find_options"}

// checkNames looks at the one name space of helper tools, methods and decisions, in which no name may look like another one, and at
// whether what becomes a tool may have its name.
func (s *Server) checkNames(c *catalog) error {
	var names registry.Names
	holder := map[string]string{}
	for _, name := range helperNames {
		holder[name] = fmt.Sprintf("the tool %q of this server", name)
	}
	claim := func(name, what string, tool bool) error {
		if other, taken := holder[name]; taken {
			return fmt.Errorf("%s has the name of %s; rename it", what, other)
		}
		if helper := looksLikeHelper(name); helper != "" {
			return fmt.Errorf("%s has a name that looks like that of %s; rename it", what, holder[helper])
		}
		if err := names.Add(name); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		holder[name] = what
		if !tool {
			return nil
		}
		if err := registry.CheckToolName(name); err != nil {
			return fmt.Errorf("%s can't be a tool: %w", what, err)
		}
		return nil
	}
	for _, m := range c.methods.Methods() {
		if err := claim(m.Name, fmt.Sprintf("method %q", m.Name), s.offersTool(m)); err != nil {
			return err
		}
	}
	for _, d := range c.decisions {
		if err := claim(d.Name, fmt.Sprintf("decision %q", d.Name), true); err != nil {
			return err
		}
	}
	return nil
}

// looksLikeHelper finds the helper that a name could be taken for. An i passes for an l or a 1 here: a pick is checked by the
// tool that it comes through.
func looksLikeHelper(name string) string {
	look := func(s string) string { return strings.ReplaceAll(registry.Skeleton(s), "i", "l") }
	for _, helper := range helperNames {
		if look(name) == look(helper) {
			return helper
		}
	}
	return ""
}

// checkSchemas makes sure that every client can take the schema of what becomes a tool.
func (s *Server) checkSchemas(c *catalog) error {
	for _, m := range c.methods.Methods() {
		if !s.offersTool(m) {
			continue
		}
		if err := checkToolSchema(m.InputSchema()); err != nil {
			return fmt.Errorf("method %q can't be a tool; mend it, or offer it by menu: %w", m.Name, err)
		}
	}
	for _, d := range c.decisions {
		if err := checkToolSchema(d.Inputs()); err != nil {
			return fmt.Errorf("decision %q can't be a tool: %w", d.Name, err)
		}
	}
	return nil
}

// checkToolSchema looks at what the registry does not know of: arguments that HTTP has to repeat in headers. The SDK panics at those
// that no header can be.
func checkToolSchema(schema json.RawMessage) error {
	if err := registry.CheckToolSchema(schema); err != nil {
		return err
	}
	if !inHeaders(schema) {
		return nil
	}
	return mcp.ValidateParamHeaderAnnotations(&mcp.Tool{RawInputSchema: schema})
}

// inHeaders reports whether a schema may ask for arguments in headers.
func inHeaders(schema json.RawMessage) bool { return bytes.Contains(schema, []byte("x-mcp-header")) }

// Refresh shows clients what the engine now holds, and tells those that listen which of their lists have changed, once
// each. Requests follow the engine by themselves; call it after a reload, so that clients need not ask to learn of it.
func (s *Server) Refresh() { s.refresh() }

// refresh follows the engine: a request sees what is registered when it comes, which is what refresh returns. What can't be
// offered is logged, and the lists stay as they were.
func (s *Server) refresh() *decide.View {
	v := s.eng.View()
	if s.catalog.Load().shows(v) {
		return v
	}
	s.refreshMu.Lock()
	defer s.refreshMu.Unlock()
	v = s.eng.View()
	old := s.catalog.Load()
	if old.shows(v) {
		return v
	}
	c, err := s.build(v)
	if err != nil {
		s.log.Error("the lists stay as they were", "error", err)
		kept := *old
		kept.view, kept.methods, kept.decisions = v, v.Methods, v.Decisions()
		s.catalog.Store(&kept)
		return v
	}
	s.publish(c)
	s.audience.tell(c.differs(old))
	return v
}

// differs says which lists a client has to ask for again.
func (c *catalog) differs(old *catalog) lists {
	var changed lists
	if !slices.EqualFunc(c.tools, old.tools, func(a, b sdk.ServerTool) bool { return reflect.DeepEqual(a.Tool, b.Tool) }) {
		changed |= toolList
	}
	if !slices.EqualFunc(c.prompts, old.prompts, func(a, b sdk.ServerPrompt) bool { return reflect.DeepEqual(a.Prompt, b.Prompt) }) {
		changed |= promptList
	}
	if !slices.EqualFunc(c.resources, old.resources, func(a, b sdk.ServerResource) bool { return reflect.DeepEqual(a.Resource, b.Resource) }) {
		changed |= resourceList
	}
	return changed
}

func (c *catalog) shows(v *decide.View) bool { return c.view.Same(v) }

// toolNames are the names of the tools, for the nearest one to a slip.
func (c *catalog) toolNames() []string {
	names := make([]string, len(c.tools))
	for i, t := range c.tools {
		names[i] = t.Tool.Name
	}
	return names
}

func (c *catalog) decisionNames() []string {
	names := make([]string, len(c.decisions))
	for i, d := range c.decisions {
		names[i] = d.Name
	}
	return names
}
