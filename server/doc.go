// Package server speaks MCP: tools, the pick tools, prompts and resources, in both protocol eras. It is
// the only user of the SDK's server.
//
// One message on stdio passes these files in order: lines.go cuts it out of the input, guard.go reads
// it strictly, ledger.go notes that it waits for an answer, stdio.go gives it a slot and hands it to the SDK,
// calls.go, pick.go, prompts.go or resources.go ask the engine, result.go words what came of it, and
// output.go writes the one answer. What clients can list is made in catalog.go and tools.go.
//
// The SDK's own stdio loop is not used: it loses replies at the end of input, reads lines of any length, compares
// ids as text, keeps its session in a global variable and can't cancel a call that still waits.
package server
