package decide

import (
	"encoding/json"
	"strconv"
	"strings"
)

// masked are arguments as a graph keeps them.
type masked json.RawMessage

// Masked gives them.
func (m masked) Masked() json.RawMessage { return json.RawMessage(m) }

// scrubJSON is JSON with each text and number scrubbed. It stays JSON: a number of which something is taken out becomes a text.
func scrubJSON(raw json.RawMessage, scrub func(string) string) json.RawMessage {
	if text := string(raw); scrub(text) == text {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		end := i + 1
		switch c := raw[i]; {
		case c == '"':
			end = endOfText(raw, i)
			out = appendScrubbed(out, raw[i:end], scrub)
		case c == '-' || '0' <= c && c <= '9':
			for end < len(raw) && strings.IndexByte("+-.0123456789eE", raw[end]) >= 0 {
				end++
			}
			number := string(raw[i:end])
			if clean := scrub(number); clean != number {
				out = appendJSON(out, clean)
			} else {
				out = append(out, number...)
			}
		default:
			out = append(out, c)
		}
		i = end
	}
	return out
}

// endOfText is behind the closing quote of a JSON text.
func endOfText(raw []byte, at int) int {
	for i := at + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// appendScrubbed appends a JSON text. One of which nothing is taken out stays as it was written.
func appendScrubbed(out, quoted []byte, scrub func(string) string) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return append(out, strconv.Quote(redactedText)...)
	}
	if clean := scrub(text); clean != text {
		return appendJSON(out, clean)
	}
	return append(out, quoted...)
}

const redactedText = "***"

func appendJSON(out []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a text has a JSON form
	return append(out, quoted...)
}
