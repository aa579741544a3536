package menu

import "strings"

// A reply of megabytes in which the same marks stand over and over again says nothing more with each of them. Where the scanner is
// as it was one or two marks before, and the same bytes follow, it may as well stand behind them. What follows the last of them may matter
// to that one, so it is always read.
const manyMarks = 64 << 10 // bytes of a reply from which on this pays

// moment is all that decides how the scanner goes on, but for where it is.
type moment struct {
	at        int
	touches   bool // the floor is right before it
	floor     floor
	fence     fence
	turned    bool // an end of a turn is right before it
	recipient string
	heard     chosen
}

// chosen is what a chooser has found so far.
type chosen struct {
	pick, earlier, talked, copies                                                        *reading
	finds, spoken                                                                        int
	odd                                                                                  damage
	marked, later, mentions, quotes, several, ended, unclosed, vendor, invented, tangled bool
}

func (c *chooser) soFar() chosen {
	return chosen{
		pick: c.pick, earlier: c.earlier, talked: c.talked, copies: c.copies, finds: c.finds, spoken: len(c.spoken), odd: c.odd,
		marked: c.marked, later: c.later, mentions: c.mentions, quotes: c.quotes, several: c.several, ended: c.ended, unclosed: c.unclosed,
		vendor: c.vendor, invented: c.invented, tangled: c.tangled,
	}
}

func (s *scanner) now() moment {
	m := moment{
		at: s.pos, touches: s.floor.at == s.pos, floor: s.floor, fence: s.fence, turned: s.turned > 0 && s.turned == s.pos,
		recipient: s.recipient, heard: s.choice.soFar(),
	}
	m.floor.at, m.fence.from = 0, 0
	return m
}

// repeats skips what only repeats the last mark, or the last two.
func (s *scanner) repeats() {
	now := s.now()
	for _, past := range s.past {
		unit := s.text[past.at:s.pos]
		past.at = now.at
		if unit == "" || past != now || !now.touches {
			continue
		}
		for strings.HasPrefix(s.text[s.pos:], unit) && strings.HasPrefix(s.text[s.pos+len(unit):], unit) {
			s.pos += len(unit)
		}
		s.floor.at = s.pos
		if s.fence.open {
			s.fence.from += s.pos - now.at
		}
		if now.turned {
			s.turned = s.pos
		}
		now.at = s.pos
		break
	}
	s.past[0], s.past[1] = now, s.past[0]
}
