package decide

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-decide/mcp-decide/menu"
)

// A handle names a turn and a round, "k7m2-1". The short ids of a process that serves one principal end in a
// check character, so that a slip of one character, or two swapped ones, never names another turn. Long ids are 128 random bits.

// alphabet has no characters that look like others (0 o, 1 i l, u v). Its length is a prime, for the check character.
const alphabet = "23456789abcdefghjkmnpqrstwxyz"

const longIDBytes = 16

var longEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// handle writes a handle.
func handle(id string, round int) string { return fmt.Sprintf("%s-%d", id, round) }

// parseHandle reads a handle as a picker gives it back: blanks around it and upper case are no harm. What can't
// be a handle gives the empty id, which no turn has.
func parseHandle(s string) (id string, round int) {
	id, digits, ok := strings.Cut(strings.ToLower(strings.TrimSpace(s)), "-")
	const idLetters = "0123456789abcdefghijklmnopqrstuvwxyz"
	if !ok || len(id) > 64 || strings.Trim(id, idLetters) != "" || len(digits) > 4 || digits == "" || strings.Trim(digits, "0123456789") != "" || digits[0] == '0' {
		return "", 0
	}
	round, _ = strconv.Atoi(digits)
	return id, round
}

// newID makes an id. length is that of a short one, without its check character.
func (e *Engine) newID(length int) string {
	if e.longIDs {
		b := make([]byte, longIDBytes)
		e.random(b)
		return longEncoding.EncodeToString(b)
	}
	return e.letters(length)
}

// letters makes a short id of n random characters and a check character.
func (e *Engine) letters(n int) string {
	random := make([]byte, 4*n)
	e.random(random)
	id := make([]byte, n, n+1)
	for i := range id {
		id[i] = alphabet[binary.BigEndian.Uint32(random[4*i:])%uint32(len(alphabet))]
	}
	return string(append(id, check(string(id))))
}

// check is the check character of an id: the sum of its characters' places in the alphabet, each times its position from 2.
func check(id string) byte {
	sum := 0
	for i := range len(id) {
		sum += (i + 2) * strings.IndexByte(alphabet, id[i])
	}
	return alphabet[sum%len(alphabet)]
}

// maxNamed is how much is told again, in characters, of a name that somebody gave for what there is not.
const maxNamed = 64

// shownHandle is a handle that somebody gave, as it may be told and recorded.
func shownHandle(h string) string { return menu.Fold(h, maxNamed) }
