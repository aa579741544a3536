package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Metadata says which authorization servers issue tokens for a resource (RFC 9728).
type Metadata struct {
	Resource string   // the URL of the endpoint, as clients write it: https://mcp.example.com/mcp
	Issuers  []string // URLs of authorization servers, at least one
}

const wellKnown = "/.well-known/oauth-protected-resource"

// metadata is a checked Metadata.
type metadata struct {
	url   string   // of the document, for challenges
	paths []string // where it is served
	body  []byte
}

// newMetadata returns nil for nil.
func newMetadata(m *Metadata) (*metadata, error) {
	if m == nil {
		return nil, nil
	}
	resource, err := publicURL(m.Resource)
	if err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	suffix := strings.TrimSuffix(resource.EscapedPath(), "/")
	if suffix != "" && (suffix+"/" == resource.EscapedPath() || path.Clean(suffix) != suffix || strings.ContainsAny(suffix, "{}%")) {
		return nil, fmt.Errorf("resource %q: its path must be plain, like /mcp, without a slash at its end", m.Resource)
	}
	if len(m.Issuers) == 0 {
		return nil, errors.New("resource without issuers: say which authorization servers issue tokens for it")
	}
	for _, s := range m.Issuers {
		if _, err := publicURL(s); err != nil {
			return nil, fmt.Errorf("issuer: %w", err)
		}
	}
	body, err := json.Marshal(map[string]any{
		"resource":                 m.Resource,
		"authorization_servers":    m.Issuers,
		"bearer_methods_supported": []string{"header"},
	})
	if err != nil {
		return nil, fmt.Errorf("resource metadata: %w", err)
	}
	made := &metadata{
		url:   resource.Scheme + "://" + resource.Host + wellKnown + suffix,
		paths: []string{wellKnown},
		body:  body,
	}
	if suffix != "" {
		made.paths = append(made.paths, wellKnown+suffix)
	}
	return made, nil
}

// publicURL reads a URL that others may be sent to: https, or http on this machine, and nothing behind the path.
func publicURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("not a URL: " + fmt.Sprintf("%q", s))
	}
	h, ok := parseHost(u.Host)
	secure := u.Scheme == "https" || u.Scheme == "http" && h.loopback()
	if !ok || !secure || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, fmt.Errorf("%q: an https URL is expected, like https://mcp.example.com/mcp, without user, query and fragment (http only for loopback names)", s)
	}
	return u, nil
}

func (m *metadata) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this document can only be read", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(m.body) // whoever has gone needs no answer
}
