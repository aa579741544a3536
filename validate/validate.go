// Package validate checks a JSON value against a JSON Schema and says everything
// that is wrong with it at once, in words that a model can act on.
//
// It is a leaf: it knows no method, no menu and no server. It holds the only use
// of the JSON Schema library and the type Kind, the seven reasons for which a
// reply or an argument object is not taken.
//
// Two things are done twice. Decode and Check each have a plain, quick pass that can only say
// yes, in front of a thorough one that decides: most calls are sound and pay for the
// first alone, and a fault in it can't let anything through that fuzz and property
// tests would not find.
//
// Nothing here is trusted. A schema is read, found sound and its cost added up before the
// library sees it; a value is measured before the library is let loose on it.
package validate
