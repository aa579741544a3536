// Package menu is the text protocol: it renders options as a menu that any model can
// read, reads the pick out of a reply, and words the second ask.
//
// It runs nothing and keeps nothing. The rules of reading are cautious by design: a wrong
// pick is far worse than no pick, so doubt is an error.
//
// Whatever stands in a menu and was not written by this package (names, descriptions,
// listed values, patterns) passes through Fold or is written as a JSON literal without
// invisible characters, so that it can't add a line, start one like an option, or hide text.
package menu
