package trace

import (
	"encoding/hex"
	"strings"
)

// TraceParent is the place in a trace of somebody else in which a request was made: W3C Trace Context, the header traceparent.
type TraceParent struct {
	Trace   [16]byte
	Span    [8]byte
	Sampled bool // whoever made it keeps its own part of the trace
}

// ParseTraceParent reads a traceparent, as strictly as the specification asks: lower case, every part of its length, no id of zeros alone. Of a
// version that is not known yet it reads the parts that it shares with version 00.
func ParseTraceParent(text string) (p TraceParent, ok bool) {
	const length = 55
	if len(text) < length || len(text) > 512 || text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return p, false
	}
	version, flags := text[:2], text[53:length]
	if !isHex(version) || version == "ff" || version == "00" && len(text) > length || len(text) > length && text[length] != '-' {
		return p, false
	}
	if !isHex(text[3:35]) || !isHex(text[36:52]) || !isHex(flags) {
		return p, false
	}
	hex.Decode(p.Trace[:], []byte(text[3:35])) // they are hexadecimal digits
	hex.Decode(p.Span[:], []byte(text[36:52]))
	var bits [1]byte
	hex.Decode(bits[:], []byte(flags))
	p.Sampled = bits[0]&1 == 1
	return p, p.Trace != [16]byte{} && p.Span != [8]byte{}
}

// isHex reports whether a text holds hexadecimal digits in lower case alone.
func isHex(text string) bool { return strings.Trim(text, "0123456789abcdef") == "" }

// String is the form of version 00.
func (p TraceParent) String() string {
	flags := "00"
	if p.Sampled {
		flags = "01"
	}
	return "00-" + hex.EncodeToString(p.Trace[:]) + "-" + hex.EncodeToString(p.Span[:]) + "-" + flags
}
