// Package guard is what stands before every route of an HTTP server: host names, origins, tokens, sizes, times
// and counts, in one chain that no route can miss. It knows nothing of MCP, and of this module only who a caller is.
//
// A request passes these files in order. limited.go takes its connection, or says that there are too many; server.go
// gives each step of the connection its time. guard.go finds the route and runs the chain: host.go and origin.go ask
// whether a page of somebody else's may be behind it, token.go who it is, slots.go whether there is room. body.go bounds what
// the handler reads and response.go puts the guard's headers on what it writes; contain.go stands around it. refuse.go
// words every no.
//
// What is closed by default: without Hosts only loopback names are answered, and those only on a loopback address;
// without Origins no page of another origin; without Tokens New fails. There are no wildcards. A token is read from the header
// Authorization alone.
//
// A guard does not limit how often a caller calls, does not check tokens that authorization servers issue, and believes no
// header of a proxy. A Guard can stand in any http.Server; what limits connections is in Server.
package guard
