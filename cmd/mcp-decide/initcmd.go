package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

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
		Args: takes(0, 1, ""),
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
	switch {
	case path == "":
		return usage("the name of the file is empty; name one, or leave it out for mcp-decide.yaml")
	case filepath.Clean(path) == schema:
		return usage("%s is the name of the schema, which is written beside the file; name it otherwise", path)
	}
	if _, err := os.Lstat(path); err == nil && !force {
		return thereAlready(path)
	}
	target, err := overwritten(path)
	if err != nil {
		return &exitError{exitRefused, err}
	}
	// The schema first: it is generated and the same for everybody, so it harms nobody if the other fails.
	if err := replace(schema, config.Schema()); err != nil {
		return &exitError{exitRefused, err}
	}
	if force {
		err = replace(target, demoYAML)
	} else {
		err = create(path, demoYAML)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return thereAlready(path)
	case err != nil:
		return &exitError{exitRefused, err}
	}
	w := word(path)
	_, err = fmt.Fprintf(a.out, "Wrote %s and %s\nNext:\n  mcp-decide validate %[1]s\n  mcp-decide list --config %[1]s\n  mcp-decide serve --config %[1]s\n",
		w, word(schema))
	return err
}

func thereAlready(path string) error {
	return &exitError{exitRefused, fmt.Errorf("%s is there already and was left alone; --force overwrites it", path)}
}

// overwritten is the file that --force replaces. A link stays one; what it leads to is replaced.
func overwritten(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, cmp.Or(err, plainFile(path))
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("following the link %s: %w", path, err)
	}
	return target, plainFile(target)
}

// plainFile refuses what is there and is no file, such as a folder, a pipe or a device.
func plainFile(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file; it was left alone", path)
	}
	return nil
}

// create makes a file that was not there, whole or not at all; everybody may read it and only its owner change it.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// replace puts a whole file in the place of another one, or of a link, which is not followed: whoever may write to the
// folder could have led it anywhere.
func replace(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		if err := plainFile(path); err != nil {
			return err
		}
	}
	next := fmt.Sprintf("%s.%d.new", path, os.Getpid())
	if err := create(next, data); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := os.Rename(next, path); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}

// word is a path as it is typed at a shell.
func word(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "." + string(filepath.Separator) + path
	}
	if !strings.ContainsFunc(path, odd) {
		return path
	}
	return "'" + strings.ReplaceAll(safe(path), "'", `'\''`) + "'"
}

// odd characters mean something to a shell.
func odd(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`_-./\:@%+,=~`, r)
}
