package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// later are the commands of the product that this version lacks. They answer what they are.
var later = []string{
	"compare", "approvals", "flow", "doctor", "migrate", "import", "gen", "docs", "install",
}

func laterCommands() []*cobra.Command {
	var all []*cobra.Command
	for _, name := range later {
		all = append(all, &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return lacks("the command " + name) },
		})
	}
	return all
}

// takes checks how many words a command is given; more may follow if most is negative. see says where to find
// what fits.
func takes(least, most int, see string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		form := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		switch {
		case len(args) < least:
			return fmt.Errorf("something is missing: %s%s", form, see)
		case most >= 0 && len(args) > most:
			return fmt.Errorf("%q is one word too many: %s", args[most], form)
		case slices.Contains(args[:least], ""):
			return fmt.Errorf("a name is empty: %s%s", form, see)
		}
		return nil
	}
}

// noSuch refuses a command that there is not.
func noSuch(root *cobra.Command, name string) error {
	text := fmt.Sprintf("there is no command %q", name)
	if near := root.SuggestionsFor(name); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(text)
}

// helpCommand is help, which does not take a name for the whole when it knows none.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			target, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if target == root && len(rest) > 0 {
				return usage("%w", noSuch(root, rest[0]))
			}
			if slices.Contains(later, target.Name()) {
				return target.RunE(target, nil)
			}
			return target.Help()
		},
	}
}
