package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// Limits of what is read of an answer, after decompression.
const (
	maxAnswer  = 4 << 20    // bytes of one that is a result
	maxRefusal = 64<<10 + 1 // bytes of one that is a failure: what Redact reads, and one more so that it sees the cut
)

// answer is a response that has begun to arrive.
type answer struct {
	ctx      context.Context
	response *http.Response
	veiled   []string // texts that no error may show
}

// result is what the answer comes to.
func (a answer) result() (any, error) {
	switch code := a.response.StatusCode; {
	case code >= 200 && code < 300:
		return a.success()
	case code >= 300 && code < 400:
		return nil, fmt.Errorf("it answered %s; redirects are not followed", a.status())
	case code == http.StatusBadGateway, code == http.StatusGatewayTimeout:
		return nil, registry.Uncertain(a.refusal()) // said by a machine on the way, which does not know either
	}
	return nil, a.refusal()
}

// status is the status in words of our own.
func (a answer) status() string {
	code := a.response.StatusCode
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// refusal is the failure with the beginning of what was said.
func (a answer) refusal() error {
	what := fmt.Errorf("it answered %s", a.status())
	body, _ := io.ReadAll(io.LimitReader(a.response.Body, maxRefusal)) // what has arrived until it broke off
	if a.encoded() != "" || !utf8.Valid(trimRune(body)) {
		return what
	}
	text := registry.Visible(strings.ToValidUTF8(registry.Redact(string(body), a.veiled), "\uFFFD"))
	if len(text) > maxTail {
		text = string(trimRune([]byte(text[:maxTail]))) + "…"
	}
	switch text = strings.TrimSpace(text); {
	case text == "":
		return what
	case strings.Contains(text, "\n"):
		return fmt.Errorf("%w:\n%s", what, text)
	}
	return fmt.Errorf("%w: %s", what, text)
}

// success makes the result of an answer's body.
func (a answer) success() (any, error) {
	body, err := io.ReadAll(io.LimitReader(a.response.Body, maxAnswer+1))
	if err != nil {
		return nil, a.broken()
	}
	if len(body) == 0 {
		return "", nil
	}
	if a.encoded() != "" {
		return nil, a.unusable("its body is compressed in a way that was not asked for")
	}
	media, declared := a.media()
	switch {
	case isJSON(media):
		return a.json(body)
	case isPicture(media):
		if len(body) > maxAnswer {
			return nil, a.unusable(fmt.Sprintf("its body has more than %d bytes", maxAnswer))
		}
		if strings.HasPrefix(media, "audio/") {
			return registry.Audio(body, media), nil
		}
		return registry.Image(body, media), nil
	}
	return a.text(body, declared)
}

// media is the type of the body, bare and as it was declared.
func (a answer) media() (bare, declared string) {
	declared = registry.OneLine(a.response.Header.Get("Content-Type"), 100)
	bare, _, err := mime.ParseMediaType(a.response.Header.Get("Content-Type"))
	if err != nil {
		bare, _, _ = strings.Cut(declared, ";")
		bare = strings.ToLower(strings.TrimSpace(bare))
	}
	return bare, declared
}

func isJSON(media string) bool {
	return media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json")
}

// isPicture reports whether a body is an image or a sound. What is XML is read as text.
func isPicture(media string) bool {
	return (strings.HasPrefix(media, "image/") || strings.HasPrefix(media, "audio/")) && !strings.HasSuffix(media, "+xml")
}

// encoded is how the body is still compressed; gzip is undone on the way.
func (a answer) encoded() string {
	encoding := strings.ToLower(a.response.Header.Get("Content-Encoding"))
	if encoding == "identity" || a.response.Uncompressed {
		return ""
	}
	return encoding
}

func (a answer) json(body []byte) (any, error) {
	if len(body) > maxAnswer {
		return nil, a.unusable(fmt.Sprintf("its JSON has more than %d bytes", maxAnswer))
	}
	text := json.RawMessage(bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff"))))
	if len(text) == 0 {
		return "", nil
	}
	if _, err := validate.Decode(text); err != nil {
		return nil, a.unusable(fmt.Sprintf("its body is not the JSON that it says it is: %s", registry.Redact(err.Error(), a.veiled)))
	}
	return registry.VisibleJSON(text), nil
}

func (a answer) text(body []byte, declared string) (any, error) {
	cut := len(body) > maxAnswer
	if cut {
		body = trimRune(body[:maxAnswer])
	}
	if !utf8.Valid(body) {
		size := fmt.Sprintf("%d bytes", len(body))
		if cut {
			size = "more than " + size
		}
		if declared == "" {
			declared = "no declared type"
		}
		return nil, a.unusable(fmt.Sprintf("its body is %s of %s, which is not text in UTF-8", size, declared))
	}
	text := registry.Visible(string(body))
	if cut {
		text += fmt.Sprintf("\n[cut: the first %d bytes]", len(body))
	}
	return text, nil
}

// unusable is a failure of a request that was answered well.
func (a answer) unusable(what string) error {
	return fmt.Errorf("it answered %s, but %s", a.status(), what)
}

// broken is the failure of an answer that did not come to its end. What it was about may well be done.
func (a answer) broken() error {
	because := errBroken
	if cause := context.Cause(a.ctx); cause != nil {
		because = why(cause)
	}
	return registry.Uncertain(fmt.Errorf("it answered %s, but not to its end: %w", a.status(), because))
}

var errBroken = errors.New("the connection was lost in the middle of it")
