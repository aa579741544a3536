package validate

import "github.com/santhosh-tekuri/jsonschema/v5"

// maxFormatted is the longest text, in bytes, of which a format is checked. Some checks
// of the library take time that grows with the square of the text.
const maxFormatted = 1000

// formatNouns are the formats that the library knows, and what a model reads for each.
var formatNouns = map[string]string{
	"date-time":             "a date and time like 2025-01-31T12:30:00Z",
	"date":                  "a date like 2025-01-31",
	"time":                  "a time like 12:30:00Z",
	"duration":              "a duration like P1DT2H",
	"period":                "a period like 2025-01-31T12:30:00Z/P1D",
	"hostname":              "a host name",
	"email":                 "an e-mail address",
	"ip-address":            "an IPv4 address",
	"ipv4":                  "an IPv4 address",
	"ipv6":                  "an IPv6 address",
	"uri":                   "an absolute URI",
	"iri":                   "an absolute URI",
	"uri-reference":         "a URI or a relative reference",
	"uriref":                "a URI or a relative reference",
	"iri-reference":         "a URI or a relative reference",
	"uri-template":          "a URI template",
	"regex":                 "a regular expression",
	"json-pointer":          "a JSON Pointer",
	"relative-json-pointer": "a relative JSON Pointer",
	"uuid":                  "a UUID",
}

// formatSamples are texts that have a format, for examples.
var formatSamples = map[string]string{
	"date-time":  "2025-01-31T12:30:00Z",
	"date":       "2025-01-31",
	"time":       "12:30:00Z",
	"duration":   "P1D",
	"hostname":   "example.com",
	"email":      "name@example.com",
	"ip-address": "192.0.2.1",
	"ipv4":       "192.0.2.1",
	"ipv6":       "2001:db8::1",
	"uri":        "https://example.com/",
	"iri":        "https://example.com/",
	"uuid":       "123e4567-e89b-12d3-a456-426614174000",
}

// formatNamed is the check of a format, nil for a format that is not known: such a one
// says something to readers and asserts nothing.
func formatNamed(name string) func(any) bool {
	check := jsonschema.Formats[name]
	if check == nil {
		return nil
	}
	switch name {
	case "uri", "iri", "uri-reference", "uriref", "iri-reference", "uri-template", "json-pointer", "relative-json-pointer":
		return check // linear, and data: URIs are long
	}
	return func(v any) bool {
		s, ok := v.(string)
		return !ok || len(s) <= maxFormatted && check(s)
	}
}
