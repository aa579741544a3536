package decide

import (
	"context"
	"errors"
)

// rule is one rule of the machine, switched off. The zero value switches nothing off.
type rule struct {
	anyRow  bool  // a swap does not compare
	anyCall bool  // a turn may have several calls
	atRound bool  // the handle has no round: an answer counts for the round that is open
	noDrift bool  // an answer is not held against what was offered
	apart   bool  // an answer is stored as refused, and a kill comes before the try is counted
	unsaid  State // a step to this state is told as stored and is not
	reopens State // somebody puts a turn from this state back to open
	expires bool  // the time of a turn also ends it while it runs
	noTries bool  // a turn whose tries are spent stays open
	loser   bool  // who comes while an equal answer runs is told that it did not run
}

func (r rule) round(m *machine, round int) int {
	if r.atRound {
		return m.row().Round
	}
	return round
}

func (r rule) tellsNotRun(out Outcome) bool { return r.loser && out.State == Running }

func (r rule) loaded(m *machine, c *sending, row TurnRow) TurnRow {
	if !r.noDrift || row.ID == "" {
		return row
	}
	t, err := unpack(row)
	if err != nil {
		return row
	}
	v := m.setup.views[c.view]
	d, _ := v.Decision("d")
	t.Offer, t.Digest = offers(v.Offered(d)), d.digest
	row, _ = t.pack()
	return row
}

func (r rule) swap(tx Tx, was, next TurnRow) (TurnRow, bool, error) {
	if r.anyRow {
		now, err := tx.Turn(was.ID)
		if err != nil {
			return TurnRow{}, false, err
		}
		was = now
	}
	if r.unsaid != "" && next.State == r.unsaid {
		now, err := tx.Turn(was.ID)
		if err != nil || now.Version != was.Version {
			return now, false, err
		}
		next.Version++
		return next, true, nil
	}
	if r.noDrift { // what the row says was offered stays
		if now, err := tx.Turn(was.ID); err == nil {
			next = keepOffer(now, next)
		}
	}
	if r.apart && next.Round > was.Round || r.noTries && next.State == Exhausted {
		t, err := unpack(next)
		if err != nil {
			return TurnRow{}, false, err
		}
		if r.noTries {
			t.State = Open
			t.advance()
		} else {
			t.Tries = machineRetries + 1
		}
		if next, err = t.pack(); err != nil {
			return TurnRow{}, false, err
		}
	}
	return tx.SwapTurn(was, next)
}

func keepOffer(was, next TurnRow) TurnRow {
	a, errA := unpack(was)
	b, errB := unpack(next)
	if err := errors.Join(errA, errB); err != nil {
		return next
	}
	b.Offer, b.Digest = a.Offer, a.Digest
	next, _ = b.pack()
	return next
}

func (r rule) choices(m *machine) []choice {
	var list []choice
	if r.reopens == "" && !r.expires {
		return nil
	}
	state := m.row().State
	if r.reopens != "" && state == r.reopens {
		list = append(list, choice{what: "force", text: string(Open), name: "somebody puts the turn back to open"})
	}
	if r.expires && state == Running {
		list = append(list, choice{what: "force", text: string(Expired), name: "the sweeper expires what is running"})
	}
	return list
}

// force puts the turn into a state, past all rules.
func (m *machine) force(to State) {
	was := m.row()
	next := was.clone()
	next.State = to
	if to == Open {
		next.advance()
		next.Tries = 1
	}
	row, err := next.pack()
	if err != nil {
		panic(err)
	}
	if was.State.Final() {
		m.breaks("I8", "the turn was %s and became %s", was.State, to)
	}
	if err := m.store.Do(context.Background(), Kill, func(tx Tx) error {
		_, _, err := tx.SwapTurn(was.TurnRow, row)
		return err
	}); err != nil {
		panic(err)
	}
	m.known = max(m.known, row.Round)
}
