package otlp

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Settings say where spans go. They are what the standard variables of OpenTelemetry say.
type Settings struct {
	URL     string      // of the collector, with the path
	Headers http.Header // with every request; they may hold secrets, so they are never logged
	Service string      // "" = mcp-decide
}

// FromEnv reads the variables; nil means that nothing is to be exported, which is so unless an endpoint is named. No error shows the value of a
// variable that may hold a secret.
//
//	OTEL_EXPORTER_OTLP_ENDPOINT         the collector; /v1/traces is added
//	OTEL_EXPORTER_OTLP_TRACES_ENDPOINT  the same, as it is; it goes before the other
//	OTEL_EXPORTER_OTLP_HEADERS          name=value,name=value; values with %XX
//	OTEL_EXPORTER_OTLP_PROTOCOL         http/json, or nothing
//	OTEL_SERVICE_NAME                   the name of the service; mcp-decide unless set
//	OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER   true, and none: nothing is exported
//
// HEADERS and PROTOCOL have a form for traces alone too, with TRACES_ in the middle, which goes before the other.
func FromEnv(env func(string) string) (*Settings, error) {
	const prefix = "OTEL_EXPORTER_OTLP_"
	first := func(name string) (value, from string) {
		for _, from := range []string{prefix + "TRACES_" + name, prefix + name} {
			if value := strings.TrimSpace(env(from)); value != "" {
				return value, from
			}
		}
		return "", ""
	}
	endpoint, from := first("ENDPOINT")
	if endpoint == "" || strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || strings.EqualFold(env("OTEL_TRACES_EXPORTER"), "none") {
		return nil, nil
	}
	if protocol, name := first("PROTOCOL"); protocol != "" && protocol != "http/json" {
		return nil, fmt.Errorf("%s is %.60q: spans are sent as http/json alone; write that, or leave it out, and name a collector that takes it, as most do on port 4318", name, protocol)
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "":
		return nil, fmt.Errorf("%s is no address of a collector; write one like http://127.0.0.1:4318", from)
	case u.User != nil:
		return nil, fmt.Errorf("%s holds a name or a password; put it into %sHEADERS, as in authorization=Basic%%20abc", from, prefix)
	}
	if from == prefix+"ENDPOINT" {
		u = u.JoinPath("v1", "traces")
	} else {
		u.Path = cmp.Or(u.Path, "/")
	}
	s := &Settings{URL: u.String(), Service: strings.TrimSpace(env("OTEL_SERVICE_NAME"))}
	list, from := first("HEADERS")
	s.Headers, err = readHeaders(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return s, nil
}

// readHeaders reads name=value,name=value. An error says which entry is wrong, and shows none.
func readHeaders(list string) (http.Header, error) {
	headers := http.Header{}
	for i, entry := range strings.Split(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		name, value, ok := strings.Cut(entry, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || err != nil || !isHeaderName(name) || !isHeaderValue(value) {
			return nil, fmt.Errorf("entry %d is no name=value of a header; blanks, commas and %% in a value are written as %%20, %%2C and %%25", i+1)
		}
		headers.Add(name, value)
	}
	return headers, nil
}

func isHeaderName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~"
	return name != "" && strings.Trim(name, letters) == ""
}

func isHeaderValue(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
