package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Where says which store is meant: sqlite:PATH, memory:, or env:NAME for a variable that holds one of those.
type Where struct {
	Kind string // "sqlite" or "memory"
	Path string // of the file, absolute
}

// String is the form that ParseWhere reads.
func (w Where) String() string { return w.Kind + ":" + w.Path }

// ParseWhere reads the name of a store. It opens nothing. A variable is read once and may not name another one.
func ParseWhere(text string) (Where, error) {
	if name, ok := strings.CutPrefix(text, "env:"); ok {
		value, ok := os.LookupEnv(name)
		switch {
		case !ok || value == "":
			return Where{}, fmt.Errorf("the store is in the variable %s, which is not set", name)
		case strings.HasPrefix(value, "env:"):
			return Where{}, fmt.Errorf("the variable %s names another variable; let it hold memory: or sqlite:PATH", name)
		}
		w, err := ParseWhere(value)
		if err != nil {
			return Where{}, fmt.Errorf("the variable %s holds no store that can be used; let it hold memory: or sqlite:PATH", name) // not shown: it may hold a password
		}
		return w, nil
	}
	kind, rest, ok := strings.Cut(text, ":")
	switch {
	case ok && kind == "memory" && rest == "":
		return Where{Kind: "memory"}, nil
	case ok && (kind == "postgres" || kind == "postgresql"):
		return Where{}, errors.New("this version does not have the store postgres yet; write memory: or sqlite:PATH")
	case !ok || kind != "sqlite":
		return Where{}, errors.New("no such store; write memory: or sqlite:PATH")
	case rest == "" || strings.HasSuffix(rest, "/"):
		return Where{}, errors.New("sqlite: needs the path of a file, as in sqlite:/home/me/turns.db")
	case strings.ContainsAny(rest, "?#\x00"):
		return Where{}, errors.New("the path of a SQLite file can't hold ?, # or NUL")
	}
	path, err := filepath.Abs(rest)
	if err != nil {
		return Where{}, fmt.Errorf("the path of the store: %w", err)
	}
	return Where{Kind: "sqlite", Path: path}, nil
}
