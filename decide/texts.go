package decide

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// What a picker reads. Nobody is ordered about here; names are ours, and whatever else comes from outside has been quoted or folded before.

const (
	noTurnText = "There is no such turn here. A turn is named as the last ask printed it, like k7m2-1: its id, a dash and the round. " +
		"This answer was not run. To start, open the decision again."
	pausedText  = "Too many unknown turns were named in the last minute, so none is looked up now. This answer was not run. Wait a minute, then send the answer with the turn as the ask printed it."
	notRecorded = "Its result is not recorded yet; it is tried again."
)

// fixer is an error that says to a model how to mend it.
type fixer interface{ Fix() string }

// fix is what a model is told about an error.
func fix(err error) string {
	if err == nil {
		return ""
	}
	if f, ok := err.(fixer); ok {
		return f.Fix()
	}
	return folded(err.Error())
}

func notRun(err error) string {
	text := fix(err)
	if strings.HasPrefix(text, "- ") {
		return "Not run:\n" + text
	}
	return "Not run. " + text
}

// ran says what a pick did, now.
func ran(t *turn, at attempt) string {
	text := did(at.Outcome)
	switch {
	case t.State == Open:
		return text + "\n" + goesOn(t)
	case t.State == Unknown:
		return unknownText(&at)
	case at.Outcome.State == registry.Done && t.spent():
		return text + fmt.Sprintf("\nThe turn is over: its %d rounds are used.", maxRounds)
	}
	return text + "\nThe turn is over."
}

// did says what ran and how it ended, in one line.
func did(o *outcome) string {
	name := o.Option
	if o.Method != o.Option && o.Kind != registry.Value && o.Kind != registry.Form {
		name = fmt.Sprintf("%s (%s)", o.Option, o.Method)
	}
	taken := o.Kind == registry.Value || o.Kind == registry.Form
	switch {
	case o.State == registry.NotRun:
		return "Not run: " + name + " could not be started."
	case o.State == registry.Unknown:
		return "It is not known whether " + name + " ran to its end."
	case o.State == registry.Failed && o.Effect == registry.Read:
		return "Ran " + name + "; it failed. Nothing was changed."
	case o.State == registry.Failed:
		return "Ran " + name + "; it failed. What it did before that is not undone."
	case taken:
		return "Took " + name + ". Nothing was changed."
	case o.Effect == registry.Read:
		return "Ran " + name + ". Nothing was changed."
	}
	return "Ran " + name + "."
}

// recordedRun says what the same answer came to when it was first given.
func recordedRun(t *turn, at *attempt) string {
	o := at.Outcome
	verb := "done"
	switch {
	case o.State == registry.Unknown:
		return unknownText(at)
	case o.State != registry.Done:
		verb = "answered"
	}
	text := fmt.Sprintf("Already %s at %s, not run again. %s", verb, stamp(o.At), did(o))
	if t.State == Open {
		return text + "\n" + goesOn(t)
	}
	return text
}

func recordedRefusal(t *turn, text string) string {
	const head = "This answer was refused before; it did not count again. "
	if t.State == Open {
		return head + text
	}
	return head + text + "\nThe turn is over: it is " + string(t.State) + "."
}

const lookFirst = "Look at what it would have changed, or ask a person to, before doing anything else about it."

func unknownText(at *attempt) string {
	return fmt.Sprintf("It is not known whether %s ran to its end; its call is %s. It is not run again, and nothing else can be picked in this turn. %s",
		at.Option, at.Call, lookFirst)
}

// unknownCall and runningCall tell a native call that an equal one has its key.
func unknownCall(method, id string) string {
	return fmt.Sprintf("It is not known whether %s ran to its end; its call is %s. It is not run again under this key. %s", method, id, lookFirst)
}

func runningCall(method string, since time.Time) string {
	return fmt.Sprintf("Still running: %s, since %s. Send the same call with the same key again to learn how it ended; it is not run twice.", method, stamp(since))
}

func runningText(t *turn, at *attempt) string {
	return fmt.Sprintf("Still running: %s, since %s. Send the same answer again to turn %s to learn how it ended; it is not run twice.",
		at.Option, stamp(at.At), handle(t.ID, at.Round))
}

// notTakenText says that the round had another answer before, and what became of that.
func notTakenText(t *turn, at *attempt) string {
	switch {
	case at == nil:
		return fmt.Sprintf("Not taken: turn %s is over; it is %s. This answer was not run.", t.ID, t.State)
	case at.Verdict == drifted:
		return fmt.Sprintf("Not taken: what can be picked has changed since %s was asked. This answer was not run.", handle(t.ID, at.Round))
	case at.Verdict == refused && at.Outcome == nil:
		return fmt.Sprintf("Not taken: %s was already answered by a reply that was refused. This answer was not run.%s", handle(t.ID, at.Round), andOver(t))
	case at.Verdict == refused:
		return fmt.Sprintf("Not taken: the answers to %s were spent and %s was taken instead. This answer was not run.", t.ID, at.Outcome.Option)
	}
	return fmt.Sprintf("Not taken: %s was already answered by %s, which %s. This answer was not run.", handle(t.ID, at.Round), at.Option, became(t, at))
}

func andOver(t *turn) string {
	if t.State == Open {
		return ""
	}
	return fmt.Sprintf(" The turn is over: it is %s.", t.State)
}

// became says how a pick ended, as the end of a sentence.
func became(t *turn, at *attempt) string {
	if at.Outcome == nil {
		if t.State == Running {
			return "is still running"
		}
		return "may have run; that is not known"
	}
	switch at.Outcome.State {
	case registry.Done:
		return "is done"
	case registry.Failed:
		return "ran and failed"
	case registry.NotRun:
		return "could not be started"
	}
	return "may have run; that is not known"
}

func exhausted(t *turn, at attempt) string {
	n := len(t.refusals())
	return notRun(at.Problem.err()) + fmt.Sprintf("\nThat was answer %d of %d. The turn is over and nothing was picked.", n, n)
}

func fellBack(t *turn, at attempt) string {
	n := len(t.refusals())
	return notRun(at.Problem.err()) + fmt.Sprintf("\nThat was answer %d of %d, so %s was taken instead, as the decision says.\n%s\nThe turn is over.", n, n, at.Outcome.Option, did(at.Outcome))
}

func slipped(t *turn, problem error) string {
	left := freeSlips - t.Slips
	text := notRun(problem) + fmt.Sprintf("\nThis did not count as an answer; turn %s is still open.", t.handle())
	if left > 0 {
		return text
	}
	return text + " The next one like it counts."
}

func closedText(t *turn) string {
	switch {
	case t.State == Expired && t.Ran:
		return fmt.Sprintf("Turn %s has expired; what ran in it before stands. This answer was not run.", t.ID)
	case t.State == Expired:
		return fmt.Sprintf("Turn %s has expired. Nothing ran in it, and this answer was not run.", t.ID)
	case t.State == Exhausted:
		return fmt.Sprintf("Turn %s is over: its answers are spent and nothing was picked. This answer was not run.", t.ID)
	}
	return fmt.Sprintf("Turn %s is over: it is %s. This answer was not run.", t.ID, t.State)
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }
