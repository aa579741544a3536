package main

import (
	"io"

	"github.com/spf13/cobra"
)

// app is one run of the command: where it reads and writes, and the flags that all commands share. Tests
// make their own.
type app struct {
	in       io.Reader
	out      *output
	err      io.Writer
	env      func(string) string
	again    <-chan struct{} // closed by the second signal
	hangup   *hangup         // nil = nobody listens for it
	terminal bool            // a person sits at it: standard input and output are a terminal
	outIsTTY bool            // standard output is a terminal
	errIsTTY bool            // standard error is a terminal

	started   bool // the command line was understood
	inputRead bool // standard input is used up

	config    string // --config
	store     string // --store
	format    string // --format
	logFormat string // --log-format
	logLevel  string // --log-level

	http            string // --http
	tlsCert         string // --tls-cert
	tlsKey          string // --tls-key
	unauthenticated bool   // --allow-unauthenticated
	watch           bool   // --watch

	wiring wiring // of what connect makes
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "mcp-decide",
		Short: "Describe a method once; reach it as an MCP tool or from a text menu",
		Long: "mcp-decide serves the methods of one file to any MCP client, as native tools and as entries of text\n" +
			"menus, with the same checks and the same outcome. Start with: mcp-decide init",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noSuch(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.started = true
			if cmd.Name() != "serve" {
				a.hangup.ends()
			}
			if f := cmd.Flags().Lookup("config"); f != nil && f.Changed && a.config == "" {
				return usage("--config is empty; name a file, or leave it out")
			}
			return nil
		},
		SuggestionsMinimumDistance: 2,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	for _, o := range options {
		o.register(a, root.PersistentFlags())
	}
	root.AddCommand(
		a.serveCommand(), a.initCommand(), a.validateCommand(), a.listCommand(), a.showCommand(),
		a.menuCommand(), a.callCommand(), a.decideCommand(), a.parseCommand(), a.traceCommand(), a.callsCommand(), a.schemaCommand(),
	)
	root.AddCommand(laterCommands()...)
	root.SetHelpCommand(helpCommand(root))
	return root
}

// formatFlag gives a command --format text|json; check it with wantJSON.
func (a *app) formatFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.format, "format", "text", "text or json")
}

func (a *app) wantJSON() (bool, error) {
	switch a.format {
	case "json":
		return true, nil
	case "text", "":
		return false, nil
	}
	return false, usage("--format is %q; it is text or json", a.format)
}

// missing declares flags of later versions, so that they answer what they are instead of "unknown flag".
func missing(cmd *cobra.Command, flags map[string]string) {
	for name, use := range flags {
		f := cmd.Flags().VarPF(&absent{name: name}, name, "", use+" (not in this version)")
		f.NoOptDefVal = "true"
		f.Hidden = true
	}
}

// absent is the value of a flag that this version lacks: setting it is an error.
type absent struct{ name string }

func (v *absent) String() string   { return "" }
func (v *absent) Type() string     { return "value" }
func (v *absent) Set(string) error { return lacks("--" + v.name) }
