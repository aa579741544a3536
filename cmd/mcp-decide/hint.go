package main

import (
	"fmt"
)

// connectHint says how to connect a client. A token that was made for this run is told here and nowhere else, once, and
// so whether or not anybody sits at a terminal.
func (a *app) connectHint(url, token string, unauthenticated bool) string {
	add := "claude mcp add --transport http decide " + url
	switch {
	case token != "":
		return fmt.Sprintf("Serving MCP at %s\nThe configuration names nobody under access:, so this run has one token. It is not shown again:\n"+
			"  Authorization: Bearer %s\nTo connect a client:\n  %s --header \"Authorization: Bearer %[2]s\"\n", url, token, add)
	case !a.errIsTTY:
		return ""
	case unauthenticated:
		return fmt.Sprintf("Serving MCP at %s, to everybody on this machine; Ctrl-C ends it.\nTo connect a client:\n  %s\n", url, add)
	}
	return fmt.Sprintf("Serving MCP at %s, to those under access: in the configuration; Ctrl-C ends it.\nTo connect a client:\n"+
		"  %s --header \"Authorization: Bearer TOKEN\"\n", url, add)
}
