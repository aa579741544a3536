package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/config"
)

func (a *app) initCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented configuration to start from",
		Long: "init writes a configuration that runs at once, without network or tokens, and beside it the schema that gives\n" +
			"editors completion and checks. FILE is mcp-decide.yaml unless named. An existing file is left alone.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path := "mcp-decide.yaml"
			if len(args) == 1 {
				path = args[0]
			}
			return a.init(path, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "overwrite a file that is there")
	return cmd
}

func (a *app) init(path string, force bool) error {
	schema := filepath.Join(filepath.Dir(path), "mcp-decide.schema.json")
	if err := write(path, demoYAML, force); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return &exitError{exitRefused, fmt.Errorf("%s is there already and was left alone; --force overwrites it", path)}
		}
		return &exitError{exitRefused, err}
	}
	// The schema is generated and the same for everybody, so an old one is replaced.
	if err := write(schema, config.Schema(), true); err != nil {
		return &exitError{exitRefused, err}
	}
	_, err := fmt.Fprintf(a.out, "Wrote %s and %s\nNext:\n  mcp-decide validate %[1]s\n  mcp-decide list --config %[1]s\n  mcp-decide serve --config %[1]s\n", path, schema)
	return err
}

// write makes a file that everybody may read and only its owner change.
func write(path string, data []byte, replace bool) error {
	flag := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if replace {
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flag, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
