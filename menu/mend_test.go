package menu

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// dress is a way to write JSON with damage that has one reading.
type dress struct {
	name           string
	open, close    string // of texts
	key            func(string) string
	colon, comma   string
	trailing       bool
	yes, no, null  string
	behind         string // a comment behind each comma
	liberty        Liberty
	missingCommas  bool
	neverInAString string // what this dress can't write inside a text
}

func plainKey(k string) string { return k }

var dresses = []dress{
	{name: "single quotes", open: "'", close: "'", liberty: OtherQuotes},
	{name: "curly quotes", open: "“", close: "”", liberty: OtherQuotes, neverInAString: "“”„"},
	{name: "German quotes", open: "„", close: "“", liberty: OtherQuotes, neverInAString: "“”„"},
	{name: "backticks", open: "`", close: "`", liberty: OtherQuotes, neverInAString: "`"},
	{name: "wide quotes", open: "＂", close: "＂", liberty: OtherQuotes},
	{name: "trailing commas", trailing: true, liberty: TrailingComma},
	{name: "bare keys", key: plainKey, liberty: UnquotedKey},
	{name: "wide signs", colon: "：", comma: "，", liberty: WideSign},
	{name: "Python", open: "'", close: "'", yes: "True", no: "False", null: "None", liberty: OtherQuotes},
	{name: "line comments", behind: " // so\n", liberty: Comment},
	{name: "hash comments", behind: " # so\n", liberty: Comment},
	{name: "block comments", behind: " /* so */ ", liberty: Comment},
	{name: "no commas at line ends", missingCommas: true, liberty: MissingComma},
}

// write dresses strict JSON.
func (d dress) write(t *testing.T, strict string) string {
	t.Helper()
	in := json.NewDecoder(strings.NewReader(strict))
	in.UseNumber()
	var b strings.Builder
	d.value(t, in, &b, 0)
	return b.String()
}

func (d dress) value(t *testing.T, in *json.Decoder, b *strings.Builder, level int) {
	tok, err := in.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch tok := tok.(type) {
	case json.Delim:
		d.members(t, in, b, tok, level+1)
	case string:
		b.WriteString(d.text(tok))
	case bool:
		b.WriteString(map[bool]string{true: or(d.yes, "true"), false: or(d.no, "false")}[tok])
	case nil:
		b.WriteString(or(d.null, "null"))
	default:
		fmt.Fprint(b, tok)
	}
}

func (d dress) members(t *testing.T, in *json.Decoder, b *strings.Builder, open json.Delim, level int) {
	b.WriteString(open.String())
	for n := 0; in.More(); n++ {
		if n > 0 {
			b.WriteString(d.between(open))
		}
		if open == '{' {
			key, _ := in.Token()
			if d.key != nil {
				b.WriteString(d.key(key.(string)))
			} else {
				b.WriteString(d.text(key.(string)))
			}
			b.WriteString(or(d.colon, ": "))
		}
		d.value(t, in, b, level)
		if !in.More() && d.trailing {
			b.WriteString(",")
		}
	}
	end, _ := in.Token()
	b.WriteString(end.(json.Delim).String())
}

func (d dress) between(open json.Delim) string {
	if d.missingCommas && open == '{' {
		return "\n"
	}
	return or(d.comma, ", ") + d.behind
}

func (d dress) text(s string) string {
	quoted, _ := json.Marshal(s)
	inside := string(quoted[1 : len(quoted)-1])
	if d.open == "" {
		return `"` + inside + `"`
	}
	inside = strings.ReplaceAll(inside, `\"`, `"`)
	return d.open + strings.ReplaceAll(inside, d.close, `\`+d.close) + d.close
}

// structure are the signs outside texts, and the quotation marks.
func (d dress) structure(text string) (all []span) {
	open, end := or(d.open, `"`), or(d.close, `"`)
	inside := false
	for i, r := range text {
		size := len(string(r))
		switch {
		case inside && strings.HasPrefix(text[i:], end) && !strings.HasSuffix(text[:i], `\`):
			inside = false
		case inside:
			continue
		case strings.HasPrefix(text[i:], open):
			inside = true
		case !strings.ContainsRune("{}[]:,\n：，", r):
			continue
		}
		all = append(all, span{i, i + size})
	}
	return all
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// TestDressedPicks writes sound picks with damage that has one reading: each gives the pick and names the liberty. Cut anywhere, or without
// any one of its structural characters, it gives the pick or an error.
func TestDressedPicks(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, d := range dresses {
		for _, p := range soundPicks {
			if d.neverInAString != "" && strings.ContainsAny(p.reply, d.neverInAString) || d.close == "'" && strings.Contains(p.reply, "'") {
				continue
			}
			options := menus[p.menu]
			want := readOutcome(p.reply, options, Reading{})
			dressed := d.write(t, p.reply)
			pick, err := Parse(dressed, options, Reading{})
			took := d.liberty == TrailingComma || dressed == p.reply || slices.Contains(pick.Liberties, d.liberty) || d.behind != "" && !strings.Contains(dressed, strings.TrimSpace(d.behind)) ||
				d.missingCommas && !strings.Contains(dressed, "\n")
			if got := readOutcome(dressed, options, Reading{}); err != nil || !got.equal(want) || !took {
				t.Errorf("%s: %s with %q (%v), want %s, of\n%s", d.name, got, pick.Liberties, err, want, dressed)
				continue
			}
			for i := range dressed {
				pickOrError(t, dressed[:i], options, want)
				pickOrError(t, dressed[:i]+"\nThat is all.", options, want)
			}
			for _, at := range d.structure(dressed) {
				pickOrError(t, dressed[:at.from]+dressed[at.to:], options, want)
			}
		}
	}
}

// TestMending holds single cases of damage against what is made of them.
func TestMending(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, c := range []struct {
		menu, reply string
		want        outcome
	}{
		// one reading
		{"notes", `{"call": "search", "args": {"query": "a\_b"}}`, picks("search", `{"query": "a_b"}`)},
		{"notes", `{"call": "search", "args": {"query": "\d+ \w"}}`, picks("search", `{"query": "\\d+ \\w"}`)},
		{"notes", `{"call": "search", "args": {"query": "it\'s"}}`, picks("search", `{"query": "it's"}`)},
		{"notes", "{\"call\": \"write_note\", \"args\": {\"title\": \"a\tb\", \"body\": \"c\r\nd\"}}", picks("write_note", `{"title": "a\tb", "body": "c\r\nd"}`)},
		{"ops", `{call: scale, args: {service: "web", replicas: 3, region: apac,},}`, picks("scale", `{"service": "web", "replicas": 3, "region": "apac"}`)},
		{"ops", "{\"call\": \"report\", \"args\": {\"summary\": \"ok\", \"metrics\": {\"latency_ms\": 1.5, \"errors\": 0}, \"items\": [{\"id\": 1, \"ok\": true}\n{\"id\": 2, \"ok\": true}]}}",
			picks("report", `{"summary": "ok", "metrics": {"latency_ms": 1.5, "errors": 0}, "items": [{"id": 1, "ok": true}, {"id": 2, "ok": true}]}`)},
		{"review", `{"call": "approve"`, picks("approve", `{}`)},
		{"review", "{\"call\": \"approve\"\n", picks("approve", `{}`)},
		{"review", "{'call': 'approve'", picks("approve", `{}`)},
		{"support", "```json\n{\"call\": \"set_priority\", \"args\": {\"level\": 4\n```", picks("set_priority", `{"level": 4}`)},
		{"support", `<tool_call>{"name": "set_priority", "arguments": {"level": 4}</tool_call>`, picks("set_priority", `{"level": 4}`)},
		{"review", "[{'call': 'approve'},]", picks("approve", `{}`)},
		{"review", `"call": "approve"}`, picks("approve", `{}`)},
		{"review", `'action': 'approve'}`, picks("approve", `{}`)},

		// several readings, or none
		{"review", "{\"call\": \"approve\"\nReason: \"fine\"", unreadable}, // a line of prose
		{"review", "{\"call\": \"approve\", // or reject\n}", unreadable},
		{"support", `    Call: {"call": "set_priority", "args": {"level": 0}`, unreadable}, // the menu, cut
		{"support", `Call: {"call": "escalate", "args": {"queue": "<str>", "urgent": false, "note": "<str>"}`, unreadable},
		{"support", `Call: {'call': 'set_priority', 'args': {'level': 0}}`, unreadable},
		{"review", `"call": "approve"`, unreadable},                             // first and last brace
		{"review", `{"call": "approve" // not really}`, unreadable},             // the comment may hold the brace
		{"review", "{\"call\": \"approve\" // hm\n", unreadable},                // or more
		{"review", "{\"call\": \"approve\", // wait, no\n}", unreadable},        // a comment that takes it back
		{"review", `{"call": "approve",`, unreadable},                           // more was to come
		{"review", `{"call": "approve", "args": {`, unreadable},                 // arguments were to come
		{"review", `{"call": "approve",, }`, unreadable},                        // two commas
		{"review", `{,"call": "approve"}`, refuses("no_action")},                // a comma in front
		{"notes", `{"call": "search", "args": {"query": later}}`, unreadable},   // a word where a text is declared
		{"notes", `{"call": "search", "args": {"query": "a\.b"}}`, unreadable},  // Markdown's or a pattern's
		{"notes", `{"call": "search", "args": {"query": "\x41"}}`, unreadable},  // other languages' escapes
		{"notes", `{"call": "search", "args": {"query": "\_ \n"}}`, unreadable}, // mixed
		{"notes", "{\"call\": \"search\", \"args\": {\"query\": \"a\x01\"}}", unreadable},
		{"notes", `{'call': 'search', 'args': {'query': 'the owner's key'}}`, unreadable},
		{"notes", `{“call”: “search”, “args”: {“query”: “a “b” c”}}`, unreadable},
		{"notes", `{"call": "search", "args": {"query": "a", "limit": 1,000}}`, unreadable},
		{"notes", `{"call": "search", "args": {"query": "a", "limit": +1}}`, unreadable},
		{"notes", `{"call": "search", "args": {"query": "a", "limit": 0x1F}}`, unreadable},
		{"notes", `{"call": "search", "args": {"query": "a", "limit": 5 EUR}}`, unreadable},
		{"notes", `{"call": "search", "args": {"query": undefined}}`, unreadable},
		{"notes", `{'call': 'search', 'args': {'query': '\u0001x'}}`, unreadable},
		{"support", `{"call": "tag_ticket", "args": {"tags": ["late" "gold"], "mode": "add"}}`, unreadable},
		{"support", "{\"call\": \"tag_ticket\", \"args\": {\"tags\": [\"late\"\n\"gold\"], \"mode\": \"add\"}}", unreadable}, // Python joins them
		{"support", `{"call": "set_priority", "args": {"level": 4`, unreadable},
		{"support", "{\"call\": \"set_priority\", \"args\": {\"level\": 4\n", unreadable},
		{"support", `{"call": "refund", "args": {"order_id": "A-17", "amount": 12.5 `, unreadable},
		{"ops", `{"call": "report", "args": {"summary": "ok", "items": [], "metrics": {"a": 1, "b": 2}}`, unreadable}, // whose brace is missing?
		{"ops", `{"call": "scale", "args": {"service": "web", "replicas": 3, "region": mars}}`, unreadable},
		{"review", `{call: maybe}`, refuses("unknown_call")},
	} {
		got := readOutcome(c.reply, menus[c.menu], Reading{})
		if !got.equal(c.want) && (c.want.Error != unreadable.Error || got.Error == "") {
			t.Errorf("got %s, want %s, of\n%s", got, c.want, c.reply)
		}
		cut := readOutcome(c.reply, menus[c.menu], Reading{Cut: true})
		pick, _ := Parse(c.reply, menus[c.menu], Reading{})
		if slices.Contains(pick.Liberties, MissingClose) && cut.Error == "" {
			t.Errorf("a reply that is known to be cut gives %s, of\n%s", cut, c.reply)
		}
	}
}
