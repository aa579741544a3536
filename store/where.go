package store

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Where says which store is meant: sqlite:PATH, a postgres:// URL, memory:, or env:NAME for a variable that holds one of those. It never
// prints a password.
type Where struct {
	Kind string // "sqlite", "postgres" or "memory"
	Path string // of the file, absolute
	url  string // of the database; it may hold a password
}

const places = "memory:, sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE"

// String is the form that ParseWhere reads, without the password and the settings of a database.
func (w Where) String() string {
	if w.Kind != "postgres" {
		return w.Kind + ":" + w.Path
	}
	u, err := url.Parse(w.url)
	if err != nil || u.Host == "" && u.User == nil && u.Path == "" {
		return "postgres://"
	}
	shown := url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	return shown.String()
}

// GoString is what %#v shows.
func (w Where) GoString() string { return "store.Where(" + w.String() + ")" }

// ParseWhere reads the name of a store. It opens nothing. A variable is read once and may not name another one.
func ParseWhere(text string) (Where, error) {
	if name, ok := strings.CutPrefix(text, "env:"); ok {
		value, ok := os.LookupEnv(name)
		switch {
		case !ok || value == "":
			return Where{}, fmt.Errorf("the store is in the variable %s, which is not set", name)
		case strings.HasPrefix(value, "env:"):
			return Where{}, fmt.Errorf("the variable %s names another variable; let it hold %s", name, places)
		}
		w, err := ParseWhere(value)
		if err != nil {
			return Where{}, fmt.Errorf("the variable %s holds no store that can be used; let it hold %s", name, places) // not shown: it may hold a password
		}
		return w, nil
	}
	kind, rest, ok := strings.Cut(text, ":")
	switch {
	case ok && kind == "memory" && rest == "":
		return Where{Kind: "memory"}, nil
	case ok && (kind == "postgres" || kind == "postgresql"):
		if _, _, err := pgConfig(text); err != nil {
			return Where{}, err
		}
		return Where{Kind: "postgres", url: text}, nil
	case !ok || kind != "sqlite":
		return Where{}, errors.New("no such store; write " + places)
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
