package config

import (
	"strings"
)

// headers reads the headers of a request.
func (u *uses) headers(at *path, n *node, auth bool) []Field {
	if n == nil || n.kind != mapping || len(n.keys) > maxHeaders {
		return nil
	}
	var fields []Field
	first := map[string]entry{}
	for _, e := range n.keys {
		where := at.key(e.name)
		lower := strings.ToLower(e.name)
		message, fix := u.headerName(e.name, auth)
		if earlier, ok := first[lower]; ok && message == "" && earlier.name != e.name {
			message, fix = "the header "+quote(earlier.name)+" at "+earlier.pos.String()+" is the same one", "Remove one of them"
		}
		if first[lower] = e; message != "" {
			u.fail(e.pos, where.String(), message, fix)
		}
		if f, ok := u.field(where, e); ok {
			if !sendable(ownText(f.Value)) {
				u.fail(e.value.pos, where.String(), "a header can't carry line ends, other control characters, or blanks at its ends", "Write it as one word or line")
			}
			fields = append(fields, f)
		}
	}
	return fields
}

// travel are the headers that say how a request travels. The client sets them, and what it sets has to hold.
var travel = []string{"host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect",
	"accept-encoding", "http2-settings"}

func (u *uses) headerName(name string, auth bool) (message, fix string) {
	lower := strings.ToLower(name)
	switch {
	case strings.ContainsAny(name, "{}"):
		return "a placeholder in the name of a header: an argument can't choose what a header means", "Write the name out; values stand behind it"
	case name == "" || strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~") != "":
		return quote(name) + " can't be the name of a header", "Use letters, digits and -"
	case contains(travel, lower), strings.HasPrefix(lower, "proxy-"):
		return name + " says how the request travels, which is not for the file to say", "Remove it"
	case lower == "authorization" && auth:
		return "auth sets Authorization already", "Remove one of them"
	}
	return "", ""
}

// sendable reports whether a header can carry a text; a NUL in it stands for a value.
func sendable(own string) bool {
	return strings.Trim(own, " ") == own && !strings.ContainsFunc(own, func(r rune) bool { return r != 0 && r < ' ' || r == 0x7f })
}
