package decide

import (
	"strings"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Foreign text can't pass for a line of ours: whatever the engine says of a turn gets the mark of foreign text when it comes from outside.
func TestNobodyElseSpeaksLikeUs(t *testing.T) {
	t.Parallel()
	for _, text := range everyText() {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			for _, said := range []string{line, strings.ToUpper(line)} {
				if got := menu.Fold(said, 1000); !strings.HasPrefix(got, "| ") {
					t.Errorf("a description may say %q", got)
				}
			}
		}
	}
	for _, line := range []string{"Turn the lights on.", "Transfer money.", "The decision of the board.", "Turns a page.", "Its colour.", "You pay.", "Already paid orders."} {
		if got := menu.Fold(line, 1000); got != line {
			t.Errorf("%q became %q", line, got)
		}
	}
}

// everyText is each text that is made about turns and runs, in all states.
func everyText() []string {
	texts := []string{noTurnText, pausedText, notRecorded}
	now := time.UnixMilli(1_800_000_000_000)
	problem := recordable(&registry.Refused{Kind: "gated", Method: "refund", Message: "It is off."})
	for _, state := range []State{Open, Parked, Running, Done, Failed, Unknown, NotRun, Denied, Exhausted, Expired} {
		for _, verdict := range []verdict{refused, drifted, taken} {
			for _, o := range everyOutcome(now) {
				at := attempt{Round: 1, At: now, Verdict: verdict, Option: "refund", Call: "abcdefgh", Problem: problem, Outcome: o}
				tn := &turn{TurnRow: TurnRow{ID: "k7m2", State: state, Round: 2}, body: body{Attempts: []attempt{at}, Slips: freeSlips, Ran: o != nil}}
				texts = append(texts, aboutTurn(tn, &at)...)
				tn.Round = maxRounds
				texts = append(texts, aboutTurn(tn, &at)...)
			}
		}
	}
	return texts
}

func everyOutcome(now time.Time) []*outcome {
	list := []*outcome{nil}
	for _, state := range []registry.State{registry.Done, registry.Failed, registry.NotRun, registry.Unknown} {
		for _, effect := range []registry.Effect{registry.Read, registry.Destructive} {
			for _, kind := range []registry.Kind{registry.Function, registry.Value} {
				list = append(list, &outcome{At: now, Option: "refund", Method: "pay_back", State: state, Effect: effect, Kind: kind})
			}
		}
	}
	return list
}

func aboutTurn(t *turn, at *attempt) []string {
	texts := []string{
		unknownText(at), runningText(t, at), notTakenText(t, nil), slipped(t, at.Problem.err()), closedText(t), exhausted(t, *at),
		recordedRefusal(t, notRun(at.Problem.err())), goesOn(t), howTo(t, nil), notTakenText(t, at), said("")[:len("You answered:")],
	}
	if at.Outcome != nil {
		texts = append(texts, ran(t, *at), did(at.Outcome), recordedRun(t, at), fellBack(t, *at))
	}
	return texts
}
