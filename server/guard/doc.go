// Package guard is what stands before every route of an HTTP server: host names, origins, tokens, sizes, times
// and counts, in one chain that no route can miss. It knows nothing of MCP.
//
//	g, err := guard.New(guard.Options{Tokens: []guard.Token{{Name: "desk", Secret: secret}}})
//	g.Handle("/mcp", mcpServer.Handler())
//	g.HandleOpen("/healthz", healthz)
//	s, err := guard.NewServer(g, guard.ServerOptions{})
//	err = s.Serve(ctx, listener)
package guard
