// Package validate checks a JSON value against a JSON Schema and says everything
// that is wrong with it at once, in words that a model can act on.
//
// It is a leaf: it knows no method, no menu and no server. It holds the only use
// of the JSON Schema library and the type Kind, the seven reasons for which a
// reply or an argument object is not taken.
package validate
