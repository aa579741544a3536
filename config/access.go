package config

import (
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// maxAccess is the most principals that a file may name: each request is compared with all of them.
const maxAccess = 1000

var accessForm = mapWith("a map", "{token: env:DESK_TOKEN, roles: [agent]}",
	key{name: "token", must: true, doc: "The secret that a client shows, 16 characters or more, by reference.", forms: []form{aReference.but("env:DESK_TOKEN")}},
	key{name: "roles", doc: "What its holder is. No method asks for a role in this version.", forms: []form{someNames.but("[agent]").upTo(maxRoles)}},
).secretly() // somebody may write the token in its place

const maxRoles = 100

// access reads who may connect. A map without entries is not the same as none: it means nobody.
func (b *builder) access() {
	n := b.root.get("access")
	if n == nil || n.kind != mapping || len(n.keys) > maxAccess {
		return
	}
	b.file.Access = []Access{}
	p := principals{builder: b, byToken: map[string]Access{}}
	at := (*path)(nil).key("access")
	for _, e := range b.entries("access") {
		p.add(at.key(e.name), e)
	}
}

// principals are the entries so far: two of them must not be confused, neither by their names nor by their tokens.
type principals struct {
	*builder
	taken   nameSpace
	byToken map[string]Access // by reference
}

func (p *principals) add(at *path, e entry) {
	a := Access{Name: e.name, Pos: e.pos}
	p.called(at, e)
	for _, role := range items(e.value.get("roles")) {
		a.Roles = append(a.Roles, line(role))
	}
	token := e.value.get("token")
	switch {
	case token == nil || token.kind != text:
	case !isReference(token.text):
		p.fail(token.pos, at.key("token").String(), "a secret stands in clear in the file", "Write env:"+variableFor(e.name)+", and set it where the server is started")
	default:
		a.Token = token.text
		p.reference(at.key("token"), token)
		p.alone(at.key("token"), token.pos, a)
	}
	p.file.Access = append(p.file.Access, a)
}

// called checks the name of a principal: it stands in traces and logs, and says whose turn is whose.
func (p *principals) called(at *path, e entry) {
	if err := registry.CheckName(e.name); err != nil {
		p.failText(e.pos, at, err.Error())
		return
	}
	earlier, err := p.taken.add(takenName{e.name, "the principal", e.pos})
	switch {
	case err == nil:
	case earlier.name == "":
		p.failText(e.pos, at, err.Error())
	default:
		p.fail(e.pos, at.String(), fmt.Sprintf("the name %+q can be confused with %+q at %v", e.name, earlier.name, earlier.pos),
			"Rename one of them: case and look-alike letters don't tell names apart")
	}
}

// alone refuses a token that two principals share: nobody could say which of them has called.
func (p *principals) alone(at *path, pos Pos, a Access) {
	if other, taken := p.byToken[a.Token]; taken {
		p.fail(pos, at.String(), fmt.Sprintf("this is the token of %s at %v too, so nobody could say which of them calls", showKey(other.Name), other.Pos), "Give each its own")
		return
	}
	p.byToken[a.Token] = a
}

// variableFor proposes the name of the environment variable that holds somebody's token.
func variableFor(name string) string {
	upper := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
	if proposed := upper + "_TOKEN"; variable(proposed) && len(proposed) <= maxWord {
		return proposed
	}
	return "MCP_TOKEN"
}

// items are the entries of a list; none when it is no list.
func items(n *node) []*node {
	if n == nil || n.kind != list {
		return nil
	}
	return n.items
}
