//go:build unix

package accept

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What stands in the place of a record and is no file says nothing, and keeps nobody waiting.
func TestRecordThatIsNoFile(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		put     func(path string) error
		removed bool // by Accept, which puts a record in its place
	}{
		"a pipe": {put: func(path string) error { return unix.Mkfifo(path, 0o600) }, removed: true},
		"a link to a pipe": {put: func(path string) error {
			return errors.Join(unix.Mkfifo(path+".pipe", 0o600), os.Symlink(path+".pipe", path))
		}, removed: true},
		"a device": {put: func(path string) error { return os.Symlink("/dev/null", path) }, removed: true},
		"a folder": {put: func(path string) error { return os.Mkdir(path, 0o700) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := store(t)
			if err := errors.Join(os.MkdirAll(s.Dir, 0o700), tc.put(s.Path(desk))); err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				var damaged *DamagedError
				if _, first, err := s.First(desk, people("desk", "")); first || !errors.As(err, &damaged) {
					t.Errorf("first %v, %v", first, err)
				}
				_, err := s.Accept(desk, people("desk", ""))
				if (err == nil) != tc.removed {
					t.Errorf("accepting it says %v", err)
				}
				if _, err := s.Load(desk); (err == nil) != tc.removed {
					t.Errorf("afterwards: %v", err)
				}
			}()
			select {
			case <-done:
			case <-time.After(time.Minute):
				t.Fatal("it waits")
			}
		})
	}
}
