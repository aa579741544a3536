package menu

import (
	"strings"
	"testing"
)

// TestDenials puts what takes a pick back behind it, on its line and below it: nothing may be picked.
func TestDenials(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	for behind := range strings.SplitSeq(strings.TrimSpace(denials), "\n") {
		for _, reply := range []string{`{"call": "close_ticket"} ` + behind, "{\"call\": \"close_ticket\"}\n" + behind, "```json\n{\"call\": \"close_ticket\"}\n```\n\nThe parcel has arrived. " + behind} {
			if pick, err := Parse(reply, options, Reading{}); err == nil {
				t.Errorf("WRONG PICK %s\n%s", pick.Name, reply)
			}
		}
	}
}

const denials = `
This is just an example.
The above is only an example.
NOTE: this is just an illustration.
That would be wrong.
This isn't right.
That call is wrong.
My answer above is wrong.
However, I won't run this.
However, the amount is wrong.
I won't send that.
I'm not going to send this.
I cannot do that.
Unfortunately I can't do that.
I'm sorry, but I can't do that.
Don't do this.
Do NOT run the above.
PS: don't run it.
Warning: do not run.
Let's not do that.
You can ignore that.
Kindly ignore that.
Should I proceed?
Do you want me to proceed?
Please confirm before I run this.
Is that right?
Only if the customer agrees.
Unless it is late.
Wrong.
(example)
(not sent)
(if approved)
# wrong
...or maybe not.
Well, no.
Thinking about it again, no.
Just kidding.
Never!
In hindsight, no.
Let me start over.
Come to think of it, I should ask.
`

// TestLabels puts what quotes a pick, turns it down or makes it depend on something above it.
func TestLabels(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	for _, above := range []string{
		"## Example\n\n", "### Bad answer\n\n", "**Example**\n\n", "# What not to do\n\n", "*An illustration*\n\n", "(example)\n\n", "[EXAMPLE]\n", "The following is wrong.\n\n", "I will not send the following.\n\n",
		"Here is an example of a wrong answer.\n\n", "If the customer agrees, send:\n", "Once the customer agrees, send:\n", "When the order arrives:\n", "After approval:\n", "Pending approval:\n", "In case it is late:\n",
		"The ticket contains:\n", "Ticket:\n", "The customer wants me to call:\n", "The note tells me to call:\n", "The customer demands:\n", "The attacker's payload:\n", "Injected instruction:\n", "Forbidden:\n",
		"Discarded:\n", "Fallback:\n", "Plan B:\n", "My last answer:\n", "The other agent:\n", "Available calls:\n", "You can answer:\n", "I am tempted to call:\n", "I would have called:\n", "I decline to send:\n",
		"Counterexample:\n", "Imagine:\n", "Should it be:\n",
	} {
		reply := above + `{"call": "close_ticket"}`
		if pick, err := Parse(reply, options, Reading{}); err == nil {
			t.Errorf("WRONG PICK %s\n%s", pick.Name, reply)
		}
	}
	for _, above := range []string{
		"Once more:\n", "**My pick**\n\n", "## Answer\n\n", "* The order is not late.\n\n", "**Note:** the order isn't late.\n\n", "The order is not late.\n\n", "Here is my pick.\n\n", "Since it isn't late, I pick:\n", "I will do the following:\n",
	} {
		reply := above + `{"call": "close_ticket"}`
		if _, err := Parse(reply, options, Reading{}); err != nil {
			t.Errorf("%v\n%s", err, reply)
		}
	}
}

// TestAsides puts a pick into what quotes it, asks about it or strikes it out.
func TestAsides(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	const pick = `{"call": "set_priority", "args": {"level": 4}}`
	for _, reply := range []string{
		"❌ %s", "🚫 %s", "%s ❌", "Wrong ❌\n%s", "+%s", "-%s", "12:04 Ann: %s", "[12:04] Ann: %s", "@ann: %s", "INFO: %s", "No: %s", "安写道：\n%s", "--- ticket 88 ---\n%s", "-----BEGIN TICKET-----\n%s\n-----END TICKET-----",
		"----- Original message -----\n%s", "From: Ann\nSubject: parcel\n\n%s", "Von: Ann\nBetreff: Paket\n\n%s", "<<<\n%s\n>>>", "Do you want me to run this?\n\n%s", "Is this what you mean?\n\n%s", "Would this be right?\n%s",
		"Soll ich das ausführen?\n%s", "¿Ejecuto esto?\n%s", "要执行吗？\n%s", "Before I run it, please confirm:\n%s", "Did you mean:\n%s", "%s if the customer agrees", "%s\nonce approved", "%s (if approved)", "%s}}?", "%s, \"args\": {\"level\": 5}}",
		"%s\n\nFinal answer:\n{\"ca(ll\": \"close_ticket\"}", "%s\n\n<answer>{\"ca:ll\": \"close_ticket\"}</answer>",
	} {
		reply = strings.Replace(reply, "%s", pick, 1)
		if got, err := Parse(reply, options, Reading{}); err == nil {
			t.Errorf("WRONG PICK %s %s\n%s", got.Name, got.Args, reply)
		}
	}
	for _, reply := range []string{"--- answer ---\n%s", "What is the next step?\n%s", "---\n%s\n---", "✅ %s", "- %s"} {
		if got := readSafely(strings.Replace(reply, "%s", pick, 1), options, Reading{}); got.String() != `set_priority {"level":4}` {
			t.Errorf("%s\n%s", got, reply)
		}
	}
}

// TestTemplates gives parameters their own names in the brackets of some template: no value was given.
func TestTemplates(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	for _, value := range []string{"{order_id}", "{{order_id}}", "${order_id}", "[order_id]", "[ORDER_ID]", "＜order_id＞", "‹order_id›", "&lt;order_id&gt;", "<order_id: str>"} {
		got := readSafely(`{"call": "refund", "args": {"order_id": "`+value+`", "amount": 12.5}}`, options, Reading{})
		if got.Error != "missing_required" {
			t.Errorf("%s: %s", value, got)
		}
	}
	for _, value := range []string{"order_id", "[A-17]", "{A-17}", "<order/id>"} {
		got := readSafely(`{"call": "refund", "args": {"order_id": "`+value+`", "amount": 12.5}}`, options, Reading{})
		if got.Error != "" {
			t.Errorf("%s: %s", value, got)
		}
	}
}

// TestExplanations puts what explains a pick behind it.
func TestExplanations(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	for behind := range strings.SplitSeq(strings.TrimSpace(explanations), "\n") {
		for _, reply := range []string{"{\"call\": \"close_ticket\"}\n" + behind, "```json\n{\"call\": \"close_ticket\"}\n```\n\nThe parcel has arrived. " + behind} {
			if _, err := Parse(reply, options, Reading{}); err != nil {
				t.Errorf("%v\n%s", err, reply)
			}
		}
	}
}

const explanations = `
No further action is needed.
No problem!
Not urgent.
The order is not late, so there is nothing to do.
I don't see anything else to do.
I can't find that order in the list.
I did not refund it, since it arrived.
This is not a technical issue, so nobody has to look.
This closes the ticket without an error message.
The wrong parcel was sent back, as the customer wrote.
If you need anything else, let me know.
Let me know if I can help with anything else.
Would you like me to tell the customer as well?
I need no more information.
The customer did not answer that mail.
I chose this because it is the only thing left.
`

// TestKeptPicks puts a correction between two picks that replaces nothing after all.
func TestKeptPicks(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	for between := range strings.SplitSeq(strings.TrimSpace(keptPicks), "\n") {
		reply := "{\"call\": \"set_priority\", \"args\": {\"level\": 4}}\n" + between + "\n{\"call\": \"close_ticket\"}"
		if pick, err := Parse(reply, options, Reading{}); err == nil {
			t.Errorf("WRONG PICK %s\n%s", pick.Name, reply)
		}
	}
}

const keptPicks = `
Wait, what about this?
Hold on, is it this one?
Wait, would this be better? No, the first one.
Wait, let me double check. Yes, the above is right.
Actually, that is right.
Actually, both:
Actually, also:
Wait, I also need:
Actually, I need to do two things. Second:
Edit: and then
Final answer: see above.
Final answer: the first one.
Actually, no, the first is right.
I changed my mind twice; the first is it.
`

// TestMadeUpTurns puts a turn of somebody else between two picks: nothing is picked, whatever stands behind it.
func TestMadeUpTurns(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	for _, turn := range []string{
		"Tool: lost", "[User]: it was lost", "### User\nIt was lost.", "## Human\n\nIt was lost.", "**User:** lost", "User > lost", "USER\nlost", "[OBSERVATION]\nlost", "Observation 1: lost", "API response: lost",
		"Tool returned: lost", "The tool returned: lost", "The result is: lost", "Customer (Ann): it was lost", "The customer replied: it was lost", "[INST] It was lost. [/INST]", "### Instruction:\nGo on.",
		"<|user|>\nIt was lost.\n<|assistant|>", "<|observation|>\nlost\n<|assistant|>", "Function: lost", "System note: lost", "Next turn:",
	} {
		for _, label := range []string{"Final answer:\n", "Wait, no.\n"} {
			reply := "{\"call\": \"set_priority\", \"args\": {\"level\": 4}}\n\n" + turn + "\n\n" + label + "{\"call\": \"close_ticket\"}"
			if pick, err := Parse(reply, options, Reading{}); err == nil {
				t.Errorf("WRONG PICK %s\n%s", pick.Name, reply)
			}
		}
	}
}
