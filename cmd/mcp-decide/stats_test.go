package main

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
)

// told are the numbers of decide://stats that these tests look at.
type told struct {
	Opened     int                       `json:"turns_opened"`
	Strategies map[string]map[string]int `json:"strategies"`
	Firsts     struct {
		Answered, Taken int
	} `json:"first_replies"`
	Retries   int             `json:"retries"`
	Decisions map[string]told `json:"decisions"`
}

// A real client reads on stdio, in both protocol eras, what came of its answers.
func TestStatsOverStdio(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			c, folder := connect(t, era), t.TempDir()
			opened := text(t, callTool(t, c, "tidy_folder", map[string]any{"path": folder, "wish": "canary"}), 0)
			turn := regexp.MustCompile(`turn ([0-9a-z]+)-1`).FindStringSubmatch(opened)
			if turn == nil {
				t.Fatal(opened)
			}
			callTool(t, c, "pick_read", map[string]any{"turn": turn[1] + "-1", "text": "a canary"})
			callTool(t, c, "pick_read", map[string]any{"turn": turn[1] + "-2", "text": "Let me look.\n" + call("look", folder)})
			callTool(t, c, "pick_read", map[string]any{"turn": turn[1] + "-3", "call": "leave"})
			var req mcp.ReadResourceRequest
			req.Params.URI = "decide://stats"
			got, err := c.ReadResource(context.Background(), req)
			if err != nil || len(got.Contents) != 1 {
				t.Fatalf("%+v, %v", got, err)
			}
			contents, _ := got.Contents[0].(mcp.TextResourceContents)
			if strings.Contains(contents.Text, "canary") {
				t.Errorf("words of an answer: %s", contents.Text)
			}
			want := told{Opened: 1, Retries: 1, Strategies: map[string]map[string]int{
				"none": {"no_action": 1}, "prose": {"taken": 1}, "parts": {"taken": 1},
			}}
			want.Firsts.Answered, want.Firsts.Taken = 2, 1
			all := want
			all.Decisions = map[string]told{"tidy_folder": want}
			if diff := cmp.Diff(all, readTold(t, contents.Text)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func readTold(t *testing.T, text string) told {
	t.Helper()
	var got told
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return got
}

// Over HTTP the resource and the page of numbers say the same, whoever asks: numbers are of all callers together, and name none.
func TestStatsOverHTTP(t *testing.T) {
	t.Parallel()
	r := overHTTP(t, strings.Replace(deskYAML, "prompt: Pick.,", "prompt: Pick., on_failure: done,", 1), deskEnv)
	answer := func(reply, token string) {
		opened := resultText(t, r.ask(t, toolCall(1, token, "choose", nil)))
		turn := regexp.MustCompile(`turn (\S+)-1\n`).FindStringSubmatch(opened)
		if turn == nil {
			t.Fatal(opened)
		}
		for _, round := range []string{"-1", "-2"} {
			r.ask(t, toolCall(2, token, "pick_read", map[string]any{"turn": turn[1] + round, "text": reply}))
		}
	}
	answer("```json\n{\"call\": \"who\"}\n```", deskToken)
	answer(`{'call': 'who'}`, leadToken)
	answer("canary", deskToken)
	for series, want := range map[string]float64{
		`mcp_decide_answers_total{outcome="taken",strategy="fence"}`:      1,
		`mcp_decide_answers_total{outcome="taken",strategy="repaired"}`:   1,
		`mcp_decide_answers_total{outcome="no_action",strategy="none"}`:   2,
		`mcp_decide_answers_total{outcome="not_counted",strategy="none"}`: 2, // to a round that there is not
		`mcp_decide_first_reply_total{outcome="taken"}`:                   2,
		`mcp_decide_first_reply_total{outcome="refused"}`:                 1,
		`mcp_decide_repaired_answers_total`:                               1,
		`mcp_decide_retries_total`:                                        1,
		`mcp_decide_safe_defaults_total`:                                  1,
	} {
		if got := r.number(t, deskToken, series); got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}
	page := r.ask(t, ask{method: http.MethodGet, path: "/metrics", token: deskToken})
	if !strings.Contains(page.body, "\nmcp_decide_turns_exhausted_total 0\n") {
		t.Error("what has not happened yet is not on the page")
	}
	question := message(3, "resources/read", map[string]any{"uri": "decide://stats"})
	question.token, question.header["Mcp-Name"] = leadToken, "decide://stats"
	read := r.ask(t, question)
	var a struct {
		Result struct{ Contents []struct{ Text string } }
	}
	if err := json.Unmarshal(answerOf(t, read), &a); err != nil || len(a.Result.Contents) != 1 {
		t.Fatalf("%v: %s", err, read.body)
	}
	got := readTold(t, a.Result.Contents[0].Text)
	if got.Opened != 3 || got.Firsts.Answered != 3 || got.Firsts.Taken != 2 || got.Retries != 1 || got.Strategies["fence"]["taken"] != 1 || len(got.Decisions) != 1 {
		t.Errorf("stats: %s", a.Result.Contents[0].Text)
	}
	if strings.Contains(read.body, "canary") || strings.Contains(read.body, "token:") || strings.Contains(page.body, "choose") {
		t.Errorf("a name or words of somebody: %s", read.body)
	}
}
