package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAMethodAsAResource(t *testing.T) {
	t.Parallel()
	s := newDesk().server(t, Options{})
	m, _ := s.eng.View().Methods.Find("issue_refund")
	var got description
	if err := json.Unmarshal([]byte(describe(m)), &got); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.Menu, "issue_refund(order_id: string, amount: number") || !strings.Contains(got.Menu, `Call: {"call": "issue_refund"`) {
		t.Errorf("menu: %s", got.Menu)
	}
	var schema, want any
	if json.Unmarshal(got.InputSchema, &schema) != nil || json.Unmarshal(m.InputSchema(), &want) != nil || !cmp.Equal(want, schema) {
		t.Errorf("input schema: %s", got.InputSchema)
	}
	got.Menu, got.InputSchema = "", nil
	if diff := cmp.Diff(description{
		Name: "issue_refund", Title: "Issue refund", Summary: "Pay money back for one order.",
		Kind: "function", Effect: "destructive", OpenWorld: true, Offer: "menu",
	}, got); diff != "" {
		t.Error(diff)
	}
}

// TestAMenuAsAResource is the menu of the turn, and opens none.
func TestAMenuAsAResource(t *testing.T) {
	t.Parallel()
	p := connect(t, newDesk().server(t, Options{}))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"decide://decisions/handle_ticket/menu"}}`)
	var read struct {
		Result struct{ Contents []struct{ Text string } }
	}
	if err := json.Unmarshal(p.next().line, &read); err != nil || len(read.Result.Contents) != 1 {
		t.Fatal(err)
	}
	opened := p.ask(2, "handle_ticket", `{"ticket":"x"}`)
	if menu := strings.TrimSpace(read.Result.Contents[0].Text); menu == "" || !strings.Contains(opened.text(0), menu) {
		t.Errorf("the resource is\n%s\nthe turn has\n%s", menu, opened.text(0))
	}
	p.end()
}
