//go:build race

package config

// raceDetector says that the tests run under the race detector. It makes everything several times slower and sees nothing
// in a parser, so the largest texts are left to the other runs.
const raceDetector = true
