package trace

import "context"

// Tee is a Recorder that hands every record to each of several, in order. Nil ones are left out.
func Tee(recorders ...Recorder) Recorder {
	var t tee
	for _, r := range recorders {
		if r != nil {
			t = append(t, r)
		}
	}
	return t
}

type tee []Recorder

func (t tee) Record(ctx context.Context, r Record) {
	for _, to := range t {
		to.Record(ctx, r)
	}
}
