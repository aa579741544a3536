//go:build !race

package config

const raceDetector = false
