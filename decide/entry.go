package decide

import (
	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Menu is the menu of a decision as this view offers it, in the decision's style. It opens no turn.
func (v *View) Menu(d *Decision) string { return menu.Render(d.Style, v.Offered(d)) }

// Entry is the menu entry of one method under its own name.
func Entry(m *registry.Method) string {
	return menu.Render(menu.Full, []registry.Option{{Name: m.Name, Method: m}})
}
