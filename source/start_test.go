package source

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// manyMethods is a file of n methods as people write them: half of them the same few programs with parameters of their own, the others
// with the parameters that all methods of one service have.
func manyMethods(n int) []byte {
	var b bytes.Buffer
	b.WriteString("methods:\n")
	for i := range n {
		fmt.Fprintf(&b, "  method_%d:\n    summary: Read the record number %d of the desk.\n    effect: %s\n", i, i, []string{"read", "write", "destructive"}[i%3])
		if i%2 == 0 {
			fmt.Fprintf(&b, "    params:\n      id_%d: {type: string, pattern: \"^[A-Z]-[0-9]+$\", description: The number of record %d., placeholder: A-1042}\n", i, i)
			b.WriteString("      lines?: {type: integer, minimum: 1, maximum: 500, description: How many lines.}\n      state: {enum: [open, closed, all], default: open, description: Which ones.}\n")
			fmt.Fprintf(&b, "    run: [head, -n, \"1\", \"--id={id_%d}\", \"--state={state}\", [\"--lines={lines}\"]]\n", i)
			continue
		}
		b.WriteString("    params:\n      order_id: {type: string, description: The order's number.}\n      amount: {type: number, exclusiveMinimum: 0}\n      desk: {type: string, from: caller.id}\n")
		b.WriteString("    run: {argv: [wc, -l, \"--order={order_id}\", \"--amount={amount}\"], stdin: \"{desk}\"}\n    timeout: 5s\n")
	}
	return b.Bytes()
}

// start is what a server does before it can serve: read, build, register.
func start(b *testing.B, text []byte) *registry.Registry {
	f, err := config.Parse("desk.yaml", b.TempDir(), text)
	if err != nil {
		b.Fatal(err)
	}
	methods, _, err := Build(f)
	if err != nil {
		b.Fatal(err)
	}
	reg := registry.New()
	if err := reg.Replace(methods); err != nil {
		b.Fatal(err)
	}
	return reg
}

// BenchmarkStart shows what it takes to start with many methods, and what they hold in memory once they are there.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint("methods_", n), func(b *testing.B) {
			text := manyMethods(n)
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				start(b, text)
			}
			reg := start(b, text)
			b.ReportMetric(float64(held(func() { runtime.KeepAlive(reg); reg = nil }))/(1<<20), "MiB-held")
		})
	}
}

// held is what the heap loses when drop lets go of it.
func held(drop func()) uint64 {
	var with, without runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&with)
	drop()
	runtime.GC()
	runtime.ReadMemStats(&without)
	return with.HeapAlloc - without.HeapAlloc
}
