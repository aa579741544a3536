package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/server/guard"
	"github.com/mcp-decide/mcp-decide/source"
)

// minToken is the fewest characters of a token: with 16 at random nobody guesses one.
const minToken = 16

// tokens reads the tokens of those who may connect. The error lists every entry whose token can't be used, by the name of
// its reference; no message holds a token.
func tokens(f *config.File) (all []guard.Token, warnings []config.Problem, err error) {
	var problems config.Errors
	owners := map[string]string{} // by token
	for _, a := range f.Access {
		secret, p := source.Secret(f, a.Token)
		if secret != "" {
			if message, fix := unfit(a.Token, secret, owners[secret]); message != "" {
				secret, p.Message, p.Fix = "", message, fix
			}
		}
		p.Pos, p.Key = a.Pos, "access."+a.Name+".token"
		switch {
		case secret == "":
			problems = append(problems, p)
			continue
		case p.Message != "":
			warnings = append(warnings, p)
		}
		owners[secret] = a.Name
		all = append(all, guard.Token{Name: a.Name, Secret: secret, Roles: a.Roles})
	}
	if problems != nil {
		return nil, nil, problems
	}
	return all, warnings, nil
}

// accessProblems is what is wrong or doubtful with the tokens, for a look at the file: on another machine they may be there.
func accessProblems(f *config.File) []config.Problem {
	_, warnings, err := tokens(f)
	var problems config.Errors
	errors.As(err, &problems)
	for _, p := range problems {
		p.Message += "; serve --http does not start without it"
		warnings = append(warnings, p)
	}
	return warnings
}

// unfit says why a token can't be used; "" when it can. owner is who has it already, "" when nobody does.
func unfit(ref, secret, owner string) (message, fix string) {
	const make = `Make one, with "openssl rand -hex 16" for example`
	switch {
	case strings.ContainsFunc(secret, unsent):
		return ref + " holds a character that no client can send in an Authorization header", make
	case len(secret) < minToken:
		return fmt.Sprintf("%s holds fewer than %d characters, which somebody could guess", ref, minToken), make
	case owner != "":
		return fmt.Sprintf("%s holds the token of %s too, so nobody could say which of them calls", ref, owner), "Give each its own"
	}
	return "", ""
}

// unsent are the characters that can't stand in a bearer token.
func unsent(r rune) bool { return r <= ' ' || r > '~' }
