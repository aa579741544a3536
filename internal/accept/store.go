package accept

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Store keeps one record for each configuration file: a small JSON file, named by a digest of the configuration's path.
//
// The path is the absolute one by which the configuration is named; links in it are not followed. Who names a file has looked at it, but
// what a link leads to may change under the name, and a new place must not count as a first start.
type Store struct {
	Dir string           // the folder of the records; it is made when it is needed, for the user alone
	Now func() time.Time // nil = time.Now
}

const (
	formatVersion = 1
	maxRecord     = 64 << 20 // bytes
)

// record is the form of the file.
type record struct {
	Version  int       `json:"version"`
	File     string    `json:"file"`
	Accepted time.Time `json:"accepted"`
	Surface
}

// DamagedError is a record that is there and says nothing that could be trusted. It never counts as none: that would
// accept everything.
type DamagedError struct {
	Record string // the file of the record
	Err    error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s, which holds what was accepted of the configuration: %v", e.Record, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// WriteError is a record that can't be written.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return "writing down what is accepted: " + e.Err.Error() }

func (e *WriteError) Unwrap() error { return e.Err }

// Path is the file of the record for the configuration of that name, which is absolute.
func (s *Store) Path(config string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(config)))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:])+".json")
}

// Load reads what was accepted. The error is fs.ErrNotExist when nothing ever was, a *DamagedError when the record can't be made
// sense of.
func (s *Store) Load(config string) (Surface, error) {
	path := s.Path(config)
	data, err := s.read(path)
	if err != nil {
		return Surface{}, err
	}
	var r record
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&r); err != nil {
		return Surface{}, &DamagedError{path, err}
	}
	_, err = dec.Token()
	switch {
	case r.Version > formatVersion:
		return Surface{}, fmt.Errorf("%s was written by a newer version of mcp-decide, which alone knows what was accepted; use that one", path)
	case r.Version != formatVersion, r.File != filepath.Clean(config), r.Methods == nil, !errors.Is(err, io.EOF):
		return Surface{}, &DamagedError{path, errors.New("it is no record of this file")}
	}
	return r.Surface, nil
}

// read reads a record that nobody else can write. Nothing but a file is opened: a pipe would keep everybody waiting.
func (s *Store) read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, syscall.ENOTDIR) {
		err = fs.ErrNotExist // where no folder can be, no record is
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was accepted: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, &DamagedError{path, errors.New("it is not a file; remove it")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading what was accepted: %w", err)
	}
	defer f.Close()
	for _, name := range []string{path, s.Dir} {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("reading what was accepted: %w", err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0 {
			return nil, &DamagedError{path, fmt.Errorf("everybody on this machine may write to %s; run chmod o-w on it", name)}
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return nil, fmt.Errorf("reading what was accepted: %w", err)
	}
	if len(data) > maxRecord {
		return nil, &DamagedError{path, fmt.Errorf("it is larger than %d bytes", maxRecord)}
	}
	return data, nil
}

// First accepts a configuration as it stands, unless something was accepted of it before; that then comes back. With a *WriteError, nothing was
// accepted before and nothing is written down now.
func (s *Store) First(config string, now Surface) (accepted Surface, first bool, err error) {
	accepted, err = s.Load(config)
	if !errors.Is(err, fs.ErrNotExist) {
		return accepted, false, err
	}
	err = s.locked(func() error {
		if accepted, err = s.Load(config); !errors.Is(err, fs.ErrNotExist) {
			return err // another start was first
		}
		accepted, first = now, true
		return s.write(config, now)
	})
	return accepted, first, err
}

// Accept writes down that a configuration is accepted as it stands, and returns what was before. A record that is damaged is written
// anew, and everything counts as newly accepted.
func (s *Store) Accept(config string, now Surface) (before Surface, err error) {
	err = s.locked(func() error {
		before, err = s.Load(config)
		var damaged *DamagedError
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &damaged) {
			return err
		}
		return s.write(config, now)
	})
	return before, err
}

// locked runs f while no other process writes a record.
func (s *Store) locked(f func() error) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return &WriteError{err}
	}
	unlock, err := lock(filepath.Join(s.Dir, "lock"))
	if err != nil {
		return &WriteError{err}
	}
	defer unlock()
	return f()
}

// write puts a record in the place of the old one, whole and on the disk, or leaves that as it is.
func (s *Store) write(config string, now Surface) error {
	clock := s.Now
	if clock == nil {
		clock = time.Now
	}
	text, err := json.MarshalIndent(record{formatVersion, filepath.Clean(config), clock().UTC().Truncate(time.Second), now}, "", " ")
	if err != nil {
		return &WriteError{err}
	}
	if err := replace(s.Path(config), append(text, '\n')); err != nil {
		return &WriteError{err}
	}
	return nil
}

func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFolder(filepath.Dir(path))
}
