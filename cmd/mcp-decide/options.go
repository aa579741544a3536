package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/pflag"
)

// option is one choice that may be made in several places, and where its value comes from: the flag wins over the environment, that
// over the file, that over what holds otherwise. The flags, their help, the look-up and docs/command-line.md are made of it.
type option struct {
	flag      string
	env       string // the variable
	key       string // in the file; "" = the file has none
	otherwise string // the value when nothing is said; "" = see about
	about     string // what it is, for the help; a word in ` ` names the flag's value
	given     func(*app) *string
}

var (
	configOption = option{
		flag: "config", env: "MCP_DECIDE_CONFIG", about: "configuration `file`; the one in the user's config folder unless named",
		given: func(a *app) *string { return &a.config },
	}
	storeOption = option{
		flag: "store", env: "MCP_DECIDE_STORE", key: "store", about: "where turns and records are kept: sqlite:PATH, postgres://USER@HOST/DATABASE, memory:, or env:NAME for a variable that holds one of those; a file in the folder for this user's state unless named",
		given: func(a *app) *string { return &a.store },
	}
	logFormatOption = option{
		flag: "log-format", env: "MCP_DECIDE_LOG_FORMAT", otherwise: "text", about: "text or json",
		given: func(a *app) *string { return &a.logFormat },
	}
	logLevelOption = option{
		flag: "log-level", env: "MCP_DECIDE_LOG_LEVEL", otherwise: "info", about: "debug, info, warn or error",
		given: func(a *app) *string { return &a.logLevel },
	}
	options = []*option{&configOption, &storeOption, &logFormatOption, &logLevelOption}

	httpOption = option{
		flag: "http", env: "MCP_DECIDE_HTTP", about: "serve over HTTP at this `address`, like 127.0.0.1:8787; standard input and output unless given",
		given: func(a *app) *string { return &a.http },
	}
	tlsCertOption = option{
		flag: "tls-cert", env: "MCP_DECIDE_TLS_CERT", about: "`file` with the certificate, in PEM form; with it, HTTPS",
		given: func(a *app) *string { return &a.tlsCert },
	}
	tlsKeyOption = option{
		flag: "tls-key", env: "MCP_DECIDE_TLS_KEY", about: "`file` with the certificate's key, in PEM form",
		given: func(a *app) *string { return &a.tlsKey },
	}
	// serveOptions are those of serve alone.
	serveOptions = []*option{&httpOption, &tlsCertOption, &tlsKeyOption}
)

// value is what holds; file is what the file says, "" = nothing.
func (o *option) value(a *app, file string) string {
	return cmp.Or(*o.given(a), a.env(o.env), file, o.otherwise)
}

// register makes the flag. It has no default of its own, so that one that is not given leaves the choice to the others.
func (o *option) register(a *app, f *pflag.FlagSet) {
	about := fmt.Sprintf("%s ($%s)", o.about, o.env)
	if o.otherwise != "" {
		about = fmt.Sprintf("%s (default %s; $%s)", o.about, o.otherwise, o.env)
	}
	f.StringVar(o.given(a), o.flag, "", about)
}

// exitCodes are the exit codes, the same for every command.
var exitCodes = []struct {
	code  int
	about string
}{
	{exitDone, "done; also when whoever reads the output has had enough of it"},
	{exitRefused, "refused or failed: what was asked for was not done, or not wholly. For `validate`: the file has errors"},
	{exitUsage, "the command line or the configuration is wrong; nothing was done"},
	{exitNotAvailable, "the method is there and can't be used now: its program or a secret is missing"},
}
