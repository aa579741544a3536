// Package config reads the configuration file: strictly, with file, line and column on every
// problem, all problems at once, and without running or fetching anything.
//
// A file becomes plain values: registry.Method without Run, and beside it what the source
// package needs to give it one. YAML is read here and nowhere else. What a file may hold stands in the grammar, a table
// (grammar.go); the checks, the editor's schema and docs/config.md are made from it.
package config

import (
	"encoding/json"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// File is one configuration file, read.
type File struct {
	Path      string // as given; "" for the embedded demo
	Digest    string // SHA-256 of its text, in hexadecimal; "" for the embedded demo
	Server    Server
	Methods   []Method
	Decisions []Decision
	Store     string
	Trace     Trace
	Access    []Access
	HTTP      HTTPServer
	Warnings  []Problem
}

// Server describes the server to its clients.
type Server struct {
	Name, Title, Instructions string
}

// Access is one principal that may call over HTTP.
type Access struct {
	Name  string
	Token string // a reference, env:NAME or file:PATH
	Roles []string
	Pos   Pos
}

// HTTPServer says under which names and for whom the server may be reached over HTTP.
type HTTPServer struct {
	AllowedHosts, AllowedOrigins []string
	Resource                     string // its address in access tokens (RFC 9728); "" = no metadata
	Issuers                      []string
}

// Trace says what is kept of what happened.
type Trace struct {
	Keep    time.Duration // 0 = 30 days
	Content string        // full, hash, none; "" = full
	MaxSize int64         // bytes; 0 = as much as the store allows by itself
}

// Method is a method as configured: the description, and one thing that it does. Its Run is nil, except
// that value and schema methods need none.
type Method struct {
	registry.Method
	Command *Command  // run:
	HTTP    *Endpoint // http:
	Pos     Pos       // of its name
}

// Command runs a program, never through a shell.
type Command struct {
	Argv       []Arg
	Stdin      *registry.Template // nil = nothing
	Cwd        string             // "" = the file's folder
	Env        []EnvVar
	JSON       bool  // output: json
	OKExit     []int // nil = 0 alone
	AllowDash  bool
	AllowShell bool
	Pos        Pos
}

// Arg is one element of argv, or a group that is left out when one of its values is absent.
type Arg struct {
	Template registry.Template
	Group    []registry.Template // set instead of Template
	Pos      Pos
}

// EnvVar is one variable of a command's environment: a literal, or a reference env:NAME or file:PATH.
type EnvVar struct {
	Name, Value string
	Pos         Pos
}

// Decision is a decision as configured.
type Decision struct {
	Name, Title, Summary string
	Params               []registry.Param
	Prompt               string
	Options              []Option
	MaxRetries           int // 1 when the file says nothing
	OnFailure            string
	None                 bool
	TTL                  time.Duration
	Style                string
	Lenient              bool // reading: lenient
	Phrases              []Phrase
	Pos                  Pos
}

// Phrase is a sentence that stands for an option.
type Phrase struct {
	Text, Option string
	Pos          Pos
}

// Option is one option of a decision: a method's name, a value, or a schema.
type Option struct {
	Name, Description string
	Method            string
	Value             json.RawMessage  // set for a value option
	Fields            []registry.Param // set, perhaps empty, for a schema option
	Again             bool
	Pos               Pos
}

// Pos is a place in the file; lines and columns count from 1, columns in characters.
type Pos struct {
	Line, Col int
}
