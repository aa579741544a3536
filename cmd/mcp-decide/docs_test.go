package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestCommandLinePage: docs/command-line.md is made from the commands; -update writes it.
func TestCommandLinePage(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "command-line.md")
	got := commandLinePage()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/command-line.md is stale, run go test ./cmd/mcp-decide -update: -want +got\n%s", diff)
	}
}

const commandLineHead = `# The command line

This page is made from the commands themselves; ` + "`go test ./cmd/mcp-decide -update`" + ` rewrites it. ` + "`mcp-decide COMMAND --help`" + ` prints the same.

## Options of every command

A value is looked for from left to right, and the first that is given holds: a flag, then the environment, then the file, then the default.
An empty variable counts as not given.

| flag | environment | key in the file | default | |
|---|---|---|---|---|
`

const configSearch = `
The configuration is the file named by ` + "`--config`" + ` or ` + "`$MCP_DECIDE_CONFIG`" + `; one that is named and missing is an error. Else it is ` + "`mcp-decide/mcp-decide.yaml`" + `
in the user's config folder, else ` + "`./mcp-decide.yaml`" + `, but that only when a person runs the command in a terminal: a folder that somebody cloned must not start
commands under a client. With none there the built-in demo runs, and says so.

Logs go to standard error. They are coloured on a terminal alone, and not there with ` + "`$NO_COLOR`" + ` set or with ` + "`TERM=dumb`" + `.

## Exit codes

| code | means |
|---|---|
`

// commandLinePage is the text of docs/command-line.md.
func commandLinePage() string {
	var b strings.Builder
	b.WriteString(commandLineHead)
	for _, o := range options {
		fmt.Fprintf(&b, "| `--%s` | `$%s` | %s | %s | %s |\n", o.flag, o.env, code(o.key), code(o.otherwise), strings.ReplaceAll(o.about, "`", ""))
	}
	b.WriteString(configSearch)
	for _, e := range exitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", e.code, e.about)
	}
	b.WriteString("\n## Commands\n")
	root := (&app{}).root()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			describe(&b, c)
		}
	}
	return b.String()
}

func describe(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n### %s\n\n%s.\n\n```sh\n%s\n```\n", c.Name(), strings.TrimSuffix(c.Short, "."), c.UseLine())
	if c.Long != "" {
		fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(c.Long))
	}
	rows := 0
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if rows++; rows == 1 {
			b.WriteString("\n| flag | value | default | |\n|---|---|---|---|\n")
		}
		value, about := pflag.UnquoteUsage(f)
		fmt.Fprintf(b, "| `--%s` | %s | %s | %s |\n", f.Name, kindOf(f, value), code(strings.Trim(f.DefValue, "[]")), strings.ReplaceAll(about, "|", `\|`))
	})
}

// kindOf is what a flag takes, in words.
func kindOf(f *pflag.Flag, named string) string {
	switch f.Value.Type() {
	case "bool":
		return "true or false"
	case "stringArray":
		return "text, may be repeated"
	}
	if named == "string" {
		return "text"
	}
	return named
}

func code(s string) string {
	if s == "" {
		return "-"
	}
	return "`" + s + "`"
}
