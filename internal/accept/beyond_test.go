package accept

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/registry"
)

// refund is a method as it was accepted.
func refund() registry.Method {
	return registry.Method{
		Name: "refund", Summary: "Pay.", Effect: registry.Destructive, Source: "run: refund-cli --order {order}", Pin: "settings", Offer: registry.OfferMenu,
		Approval: &registry.Approval{If: json.RawMessage(`{"amount": {"minimum": 50}}`), Reason: "Much."}, Timeout: time.Second,
		Params: []registry.Param{
			{Name: "order", Type: registry.String, Description: "Which."},
			{Name: "amount", Type: registry.Number, Keywords: []registry.Keyword{{Name: "maximum", Value: json.RawMessage(`100`)}}},
			{Name: "desk", Type: registry.String, From: "caller.id"},
		},
	}
}

// surface is what a file with these methods lets run; reach is which decisions offer what.
func surface(reach map[string][]string, methods ...registry.Method) Surface {
	s := NewSurface()
	for i := range methods {
		s.Add(&methods[i], reach[methods[i].Name])
	}
	return s
}

func changed(change func(*registry.Method)) registry.Method {
	m := refund()
	m.Params = append([]registry.Param{}, m.Params...)
	change(&m)
	return m
}

// What is wider than what was accepted, and what is not.
func TestBeyond(t *testing.T) {
	t.Parallel()
	offered := map[string][]string{"refund": {"ticket"}}
	tool := changed(func(m *registry.Method) { m.Offer = "" })
	reading := changed(func(m *registry.Method) { m.Effect = registry.Read })
	free := changed(func(m *registry.Method) { m.Approval = nil })
	always := changed(func(m *registry.Method) { m.Approval = &registry.Approval{} })
	value := registry.Method{Name: "policy", Summary: "Tell.", Kind: registry.Value, Constant: json.RawMessage(`1`)}
	other := value
	other.Constant, other.Summary, other.Effect = json.RawMessage(`2`), "Other.", registry.Read
	const runs = "methods.refund: what it runs, or with which parameters, has changed"
	for _, tc := range []struct {
		name     string
		old, now Surface
		want     []string
	}{
		{"nothing", surface(offered, refund()), surface(offered, refund()), nil},
		{"wording", surface(offered, refund()), surface(offered, changed(func(m *registry.Method) {
			m.Summary, m.Description, m.Title, m.Approval = "Other.", "More.", "T", &registry.Approval{If: json.RawMessage(`{"amount":{"minimum":50}}`), Reason: "Other."}
			m.Params[0].Description, m.Params[0].Placeholder, m.Params[0].Label = "Other.", "A-1", "Order"
		})), nil},
		{"order of parameters", surface(offered, refund()), surface(offered, changed(func(m *registry.Method) {
			m.Params[0], m.Params[1] = m.Params[1], m.Params[0]
		})), nil},
		{"where its program is", surface(offered, refund()), surface(offered, changed(func(m *registry.Method) { m.Found = "/opt/refund-cli" })), nil},
		{"off", surface(offered, refund()), surface(offered, changed(func(m *registry.Method) { m.Off = "no token" })), nil},
		{"time and result", surface(offered, refund()), surface(offered, changed(func(m *registry.Method) { m.Timeout, m.ResultCap = time.Minute, 9 })), nil},
		{"gone", surface(offered, refund()), surface(offered), nil},
		{"no decision any more", surface(offered, refund()), surface(nil, refund()), nil},
		{"new", surface(nil), surface(nil, refund()), []string{"methods.refund: it is new"}},
		{"renamed", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) { m.Name = "pay" })), []string{"methods.pay: it is new"}},
		{"another program", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) { m.Source = "run: rm {order}" })), []string{runs}},
		{"other settings", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) { m.Pin = "allow_dash" })), []string{runs}},
		{"another hidden value", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) { m.Params[2].From = "env:DESK" })), []string{runs}},
		{"a looser parameter", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) { m.Params[1].Keywords = nil })), []string{runs}},
		{"a tighter parameter", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) { m.Params[0].Enum = []json.RawMessage{json.RawMessage(`"a"`)} })), []string{runs}},
		{"a milder effect", surface(nil, refund()), surface(nil, reading), []string{"methods.refund: its effect is read, and was destructive"}},
		{"a severer effect", surface(nil, reading), surface(nil, refund()), nil},
		{"no effect said", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) { m.Effect = "" })), nil},
		{"idempotent", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) { m.Idempotent = true })), []string{"methods.refund: it is said to be idempotent, and was not"}},
		{"no approval", surface(nil, refund()), surface(nil, free), []string{"methods.refund: nobody has to agree to a call, and a person had to"}},
		{"always no more", surface(nil, always), surface(nil, refund()), []string{"methods.refund: a person has to agree under a condition, and always had to"}},
		{"another condition", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) {
			m.Approval = &registry.Approval{If: json.RawMessage(`{"amount":{"minimum":5}}`)}
		})),
			[]string{"methods.refund: the condition under which a person has to agree has changed"}},
		{"approval", surface(nil, free), surface(nil, refund()), nil},
		{"always approval", surface(nil, refund()), surface(nil, always), nil},
		{"a tool", surface(offered, refund()), surface(offered, tool), []string{"methods.refund: it is a tool of its own, and was an option of decisions alone"}},
		{"a tool no more", surface(offered, tool), surface(map[string][]string{"refund": {"ticket", "other"}}, refund()), nil},
		{"found too", surface(nil, tool), surface(nil, changed(func(m *registry.Method) { m.Offer = registry.OfferBoth })), nil},
		{"another decision", surface(offered, refund()), surface(map[string][]string{"refund": {"other", "ticket"}}, refund()), []string{`methods.refund: the decision "other" offers it, and did not`}},
		{"a decision of tools", surface(nil, tool), surface(offered, tool), nil},
		{"several at once", surface(offered, refund()), surface(offered, changed(func(m *registry.Method) { m.Effect, m.Approval, m.Offer = registry.Write, nil, registry.OfferNative })), []string{
			"methods.refund: its effect is write, and was destructive",
			"methods.refund: nobody has to agree to a call, and a person had to",
			"methods.refund: it is a tool of its own, and was an option of decisions alone",
		}},
		{"a value", surface(nil, value), surface(nil, other), nil},
		{"a value that runs", surface(nil, value), surface(nil, changed(func(m *registry.Method) { m.Name, m.Effect, m.Approval, m.Offer = "policy", registry.Read, nil, "" })),
			[]string{"methods.policy: what it runs, or with which parameters, has changed"}},
		{"inside", surface(nil, changed(func(m *registry.Method) { m.OpenWorld = true })), surface(nil, refund()), []string{"methods.refund: it is said to stay on this machine, and was not"}},
		{"outside", surface(nil, refund()), surface(nil, changed(func(m *registry.Method) { m.OpenWorld = true })), nil},
		{"another token", people("desk", "agent"), holding("desk", "file:/tmp/mine", "agent"), []string{"access.desk: its token is file:/tmp/mine, and was env:DESK_TOKEN"}},
		{"the same token", people("desk", "agent"), holding("desk", "env:DESK_TOKEN", "agent"), nil},
		{"access", people("desk", "agent", "lead", "approver,agent"), people("desk", "agent,approver", "lead", "agent", "boss", ""), []string{
			"access.boss: it is new", `access.desk: it has the role "approver", and had not`,
		}},
	} {
		var got []string
		for _, c := range tc.now.Beyond(tc.old) {
			got = append(got, c.Key()+": "+c.What)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func holding(name, token string, roles ...string) Surface {
	s := NewSurface()
	s.Admit(name, token, roles)
	return s
}

// people is a surface of principals, each followed by its roles.
func people(words ...string) Surface {
	s := NewSurface()
	for i := 0; i < len(words); i += 2 {
		s.Admit(words[i], "env:"+strings.ToUpper(words[i])+"_TOKEN", strings.FieldsFunc(words[i+1], func(r rune) bool { return r == ',' }))
	}
	return s
}
