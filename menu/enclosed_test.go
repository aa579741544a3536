package menu

import "testing"

// TestEnclosed puts a pick inside an element that quotes, thinks or drafts: it is none.
func TestEnclosed(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	const inside = "\nFirst the state of it.\n\n{\"call\": \"close_ticket\"}\n\nThat closes it.\n"
	for _, tags := range [][2]string{
		{"<ticket>", "</ticket>"}, {"<ticket id=\"88\">", "</ticket>"}, {"<customer_message>", "</customer_message>"}, {"<user_input>", "</user_input>"}, {"<untrusted>", "</untrusted>"},
		{"<quote>", "</quote>"}, {"<blockquote>", "</blockquote>"}, {"<example>", "</example>"}, {"<draft>", "</draft>"}, {"<del>", "</del>"}, {"<history>", "</history>"}, {"<plan>", "</plan>"},
		{"<details><summary>Draft</summary>", "</details>"}, {"<tools>", "</tools>"}, {"<observation>", "</observation>"}, {"<rejected_action>", "</rejected_action>"},
		{"<thoughts>", "</thoughts>"}, {"<analysis>", "</analysis>"}, {"<antThinking>", "</antThinking>"}, {"<seed:think>", "</seed:think>"}, {"<mm:think>", "</mm:think>"},
		{"<|START_THINKING|>", "<|END_THINKING|>"}, {"<|begin_of_thought|>", "<|end_of_thought|>"},
	} {
		reply := tags[0] + inside + tags[1]
		if got := readSafely(reply, options, Reading{}); got.Error != "ambiguous" && got.Error != "no_action" {
			t.Errorf("%s\n%s", got, reply)
		}
		reply += "\n\n{\"call\": \"set_priority\", \"args\": {\"level\": 4}}"
		if got := readSafely(reply, options, Reading{}); got.Error != "ambiguous" && got.String() != `set_priority {"level":4}` {
			t.Errorf("%s\n%s", got, reply)
		}
		reply = "{\"call\": \"set_priority\", \"args\": {\"level\": 4}}\n\n" + tags[0] + inside + tags[1]
		if got := readSafely(reply, options, Reading{}); got.Error == "" && got.String() != `set_priority {"level":4}` {
			t.Errorf("%s\n%s", got, reply)
		}
	}
	for _, reply := range []string{
		"<action>\n{\"call\": \"close_ticket\"}\n</action>", "<my_answer>\n{\"call\": \"close_ticket\"}\n</my_answer>", "<div>\n{\"call\": \"close_ticket\"}\n</div>",
		"<|START_RESPONSE|>\n{\"call\": \"close_ticket\"}\n<|END_RESPONSE|>", "<ticket>It is open.</ticket>\n{\"call\": \"close_ticket\"}", "About the <ticket> tag.\n\n{\"call\": \"close_ticket\"}",
	} {
		if got := readSafely(reply, options, Reading{}); got.String() != "close_ticket {}" {
			t.Errorf("%s\n%s", got, reply)
		}
	}
}
