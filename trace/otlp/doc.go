// Package otlp tells an OpenTelemetry collector what happened: it makes spans of records, and sends them as OTLP/JSON over HTTP.
//
// A span says what was called, how long that took, and how it ended, in words of ours and under names of the configuration. Arguments, replies, outputs,
// reasons and error texts stay here, and so do the names of callers. The package uses the standard library alone.
package otlp
