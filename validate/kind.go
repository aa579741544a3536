package validate

// Kind says why a reply or an argument object was not taken. A Kind always means
// that nothing ran. The order of the constants after BadArgs is the order of
// precedence when one input has several problems.
type Kind string

// The seven kinds. This package raises BadArgs (unreadable JSON), MissingRequired,
// TypeMismatch and EnumViolation; the reader of replies raises the others.
const (
	NoAction        Kind = "no_action"        // no pick was found in the reply
	UnknownCall     Kind = "unknown_call"     // no such option
	Ambiguous       Kind = "ambiguous"        // the reply can be read in several ways
	BadArgs         Kind = "bad_args"         // arguments unreadable, cut, refused or not an object
	MissingRequired Kind = "missing_required" // a required value was not given
	TypeMismatch    Kind = "type_mismatch"    // a value of another type, or one that breaks a bound, pattern or format
	EnumViolation   Kind = "enum_violation"   // a value outside the listed ones
)
