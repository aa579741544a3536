package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/config"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration file, for editors",
		Args:  takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.out.Write(config.Schema())
			return err
		},
	}
}
