package config

import (
	"strings"
)

// isReference reports whether s is env:NAME or file:PATH.
func isReference(s string) bool { return strings.HasPrefix(s, "env:") || strings.HasPrefix(s, "file:") }

// reference checks the form of env:NAME or file:PATH.
func (b *builder) reference(at *path, n *node) {
	if name, ok := strings.CutPrefix(n.text, "env:"); ok {
		if !variable(name) {
			b.fail(n.pos, at.String(), "env: names no environment variable", "Write env:NAME, with letters, digits and _")
		}
		return
	}
	if strings.TrimSpace(strings.TrimPrefix(n.text, "file:")) == "" {
		b.fail(n.pos, at.String(), "file: names no file", "Write file:PATH")
	}
}

// variable reports whether s can be the name of an environment variable.
func variable(s string) bool {
	return s != "" && digits(s[:1]) == 0 &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// secretName reports whether what is called so is a secret by its name.
func secretName(name string) bool {
	name = strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	for _, word := range strings.Split(name, "_") {
		switch word {
		case "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD", "APIKEY", "CREDENTIAL", "CREDENTIALS", "AUTHORIZATION":
			return name != "PWD"
		}
	}
	return name == "KEY" || strings.HasSuffix(name, "API_KEY") || strings.HasSuffix(name, "ACCESS_KEY") || strings.HasSuffix(name, "_KEY")
}

// tokenStarts are how tokens of well-known services start.
var tokenStarts = []string{"ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "sk-", "sk_live_", "rk_live_", "xoxb-", "xoxp-", "AKIA", "AIza", "ya29.", "eyJhbGciOi", "npm_", "hf_", "-----BEGIN "}

// secretText reports whether a text holds a secret by its form.
func secretText(s string) bool {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n=,;:\"'", r) }) {
		for _, start := range tokenStarts {
			if strings.HasPrefix(word, start) && len(word) >= len(start)+12 {
				return true
			}
		}
	}
	lower := strings.ToLower(s)
	_, rest, ok := strings.Cut(lower, "bearer ")
	if ok && len(strings.TrimSpace(rest)) >= 8 && !strings.HasPrefix(rest, "{") {
		return true
	}
	_, rest, ok = strings.Cut(lower, "://") // user:password@host
	if user, _, at := strings.Cut(rest, "@"); ok && at && !strings.ContainsAny(user, "/{ ") {
		_, password, has := strings.Cut(user, ":")
		return has && password != ""
	}
	return false
}

// clearSecret warns of a secret that is written in the file. Its value is never shown.
func (b *builder) clearSecret(at *path, pos Pos, fix string) {
	b.warn(pos, at.String(), "a secret stands in clear in the file", fix)
}

// laterSecrets warns of secrets in the parts that this version does not run.
func (b *builder) laterSecrets() {
	var top *path
	b.mapSecrets(top.key("models"), b.root.get("models"), func(at *path, n *node) {
		b.secret(at.key("key"), n.get("key"))
		b.headerSecrets(at, n)
	})
	b.mapSecrets(top.key("upstreams"), b.root.get("upstreams"), func(at *path, n *node) {
		b.headerSecrets(at, n)
		b.envSecrets(at.key("env"), n.get("env"))
	})
}

func (b *builder) mapSecrets(at *path, n *node, each func(*path, *node)) {
	if n == nil {
		return
	}
	for _, e := range n.keys {
		each(at.key(e.name), e.value)
	}
}

// headerSecrets looks at auth and headers below n.
func (b *builder) headerSecrets(at *path, n *node) {
	auth := n.get("auth")
	b.secret(at.key("auth").key("bearer"), auth.get("bearer"))
	b.secret(at.key("auth").key("basic"), auth.get("basic"))
	b.mapSecrets(at.key("headers"), n.get("headers"), func(at *path, n *node) {
		if n.kind == text && !isReference(n.text) && (secretText(n.text) || secretName(at.name) && !strings.Contains(n.text, "{")) {
			b.clearSecret(at, n.pos, "Write env:NAME or file:PATH instead")
		}
	})
}

// secret checks a value that has to be a reference.
func (b *builder) secret(at *path, n *node) {
	switch {
	case n == nil || n.kind != text:
	case isReference(n.text):
		b.reference(at, n)
	default:
		b.clearSecret(at, n.pos, "Write env:NAME or file:PATH instead")
	}
}

// envSecrets looks at the variables of a program.
func (b *builder) envSecrets(at *path, n *node) {
	b.mapSecrets(at, n, func(at *path, n *node) {
		switch {
		case !n.scalar() || n.kind == null:
		case n.kind == text && isReference(n.text):
			b.reference(at, n)
		case n.text != "" && (secretName(at.name) || secretText(n.text)):
			b.clearSecret(at, n.pos, "Write "+at.name+": env:"+at.name+", and set it where the server is started")
		}
	})
}
