package validate

import "slices"

// likeliest picks what to say when a value fits none of several alternatives: not all that
// is wrong with each, but what is wrong with the one that was probably meant. failed is the
// anyOf or oneOf itself, ways are the faults of its alternatives,
// each sorted.
func likeliest(failed fault, ways [][]fault) []fault {
	switch len(ways) {
	case 0:
		return []fault{failed}
	case 1:
		return ways[0]
	}
	if merged, ok := sameTypes(failed, ways); ok {
		return []fault{merged}
	}
	ways = closest(failed, ways)
	if merged, ok := sameChoice(ways); ok {
		return []fault{merged}
	}
	best := ways[0]
	for _, way := range ways[1:] {
		if worse(failed.path, best, way) {
			best = way
		}
	}
	return best
}

// sameTypes joins alternatives that all want another type here: "a text or null".
func sameTypes(failed fault, ways [][]fault) (fault, bool) {
	merged := failed
	merged.word, merged.note = "type", ""
	for _, way := range ways {
		if len(way) != 1 || way[0].word != "type" || len(way[0].path) != len(failed.path) || way[0].name != "" {
			return fault{}, false
		}
		merged.types |= way[0].wanted()
	}
	return merged, true
}

// closest leaves out the alternatives that want another type here, when there are others.
func closest(failed fault, ways [][]fault) [][]fault {
	var close [][]fault
	for _, way := range ways {
		if weigh(failed.path, way)[0] == 0 {
			close = append(close, way)
		}
	}
	if len(close) == 0 {
		return ways
	}
	return close
}

func (f *fault) wanted() types {
	if f.types != 0 {
		return f.types
	}
	if f.node == nil {
		return 0
	}
	return f.node.types
}

// sameChoice joins alternatives that are told apart by listed values at one place, when
// none of them lists what stands there.
func sameChoice(ways [][]fault) (fault, bool) {
	for _, candidate := range ways[0] {
		if !candidate.lists() {
			continue
		}
		merged := candidate
		merged.word = "enum"
		merged.literals = nil
		for _, way := range ways {
			i := slices.IndexFunc(way, func(f fault) bool { return f.lists() && samePlace(f, candidate) })
			if i < 0 {
				merged.node = nil
				break
			}
			merged.literals = append(merged.literals, way[i].allowed()...)
		}
		if merged.node != nil {
			return merged, true
		}
	}
	return fault{}, false
}

func (f *fault) lists() bool {
	return f.node != nil && (f.word == "enum" || f.word == "const")
}

// allowed are the values that a fault of enum or const would take.
func (f *fault) allowed() []any {
	if f.literals != nil || f.node == nil {
		return f.literals
	}
	if f.word == "const" {
		return []any{f.node.words["const"]}
	}
	list, _ := f.node.words["enum"].([]any)
	return list
}

func samePlace(a, b fault) bool {
	return comparePaths(a.path, b.path, nil) == 0
}

// worse reports whether b is the likelier meaning: its type fits here where a's does not, fewer of its
// fixed values are missed, less is wrong with it, or what is wrong lies deeper.
func worse(here path, a, b []fault) bool {
	x, y := weigh(here, a), weigh(here, b)
	for i := range x {
		if x[i] != y[i] {
			return y[i] < x[i]
		}
	}
	return false
}

func weigh(here path, way []fault) [4]int {
	var w [4]int
	depth := 0
	for _, f := range way {
		if len(f.path) == len(here) && (f.word == "type" || f.word == "false") {
			w[0]++
		}
		if f.word == "const" || f.word == "enum" && len(f.allowed()) == 1 {
			w[1]++
		}
		depth = max(depth, len(f.path))
	}
	w[2], w[3] = len(way), -depth
	return w
}
