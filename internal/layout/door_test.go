package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// There is one way to a method's Run, and default 3 is that everything takes it: the door calls it, and only the engine opens the door.
func TestOneWayToARun(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	var runs, calls []string
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(from, "internal/") || strings.HasSuffix(from, "test") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(from), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			name := from + "/" + filepath.Base(path)
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				to, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, _ := to.X.(*ast.Ident)
				switch {
				case to.Sel.Name == "Run" && len(call.Args) == 2 && (of == nil || of.Name != "t"): // a context and arguments
					runs = append(runs, name)
				case to.Sel.Name == "Call" && of != nil && of.Name == "registry":
					calls = append(calls, name)
				}
				return true
			})
		}
	}
	slices.Sort(calls)
	if !slices.Equal(runs, []string{"registry/run.go"}) {
		t.Errorf("Run is called in %v, and may be in registry/run.go alone, behind the door", runs)
	}
	if calls = slices.Compact(calls); !slices.Equal(calls, []string{"decide/call.go", "decide/refuse.go", "decide/run.go", "decide/write.go"}) {
		t.Errorf("registry.Call is called in %v; a way to the door belongs to the engine", calls)
	}
}
