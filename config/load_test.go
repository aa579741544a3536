package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestLoad: row C13, and what a path may lead to.
func TestLoad(t *testing.T) {
	t.Parallel()
	posix := runtime.GOOS != "windows"
	put := func(t *testing.T, path, data string, mode fs.FileMode) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	folder := func(t *testing.T, mode fs.FileMode) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "desk")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for _, tc := range []struct {
		name  string
		posix bool
		path  func(t *testing.T) string
		want  string // the end of the error; "" = none
		is    error
	}{
		{"a file", false, func(t *testing.T) string { return put(t, filepath.Join(folder(t, 0o755), "f.yaml"), small, 0o644) }, "", nil},
		{"a file that others read", false, func(t *testing.T) string { return put(t, filepath.Join(folder(t, 0o755), "f.yaml"), small, 0o644) }, "", nil},
		{"missing", false, func(t *testing.T) string { return filepath.Join(t.TempDir(), "f.yaml") }, "", fs.ErrNotExist},
		{"a folder", false, func(t *testing.T) string { return t.TempDir() }, "it is a folder, not a file", nil},
		{"a device", true, func(*testing.T) string { return os.DevNull }, "it is a device, not a file", nil},
		{"an address", false, func(*testing.T) string { return "https://example.com/mcp-decide.yaml" },
			"https://example.com/mcp-decide.yaml: a configuration is read from a file, not over the network. Download it, read it, and name the file", nil},
		{"a file that others write", true, func(t *testing.T) string { return put(t, filepath.Join(folder(t, 0o755), "f.yaml"), small, 0o646) },
			"f.yaml: everybody on this machine may write to the file, and so choose what runs. Run chmod o-w on it", nil},
		{"a folder that others write", true, func(t *testing.T) string { return put(t, filepath.Join(folder(t, 0o777), "f.yaml"), small, 0o644) },
			"and so choose what runs. Move the file to a folder of your own", nil},
		{"a folder that others write, sticky", true, func(t *testing.T) string {
			return put(t, filepath.Join(folder(t, 0o777|fs.ModeSticky), "f.yaml"), small, 0o644)
		}, "and so choose what runs. Move the file to a folder of your own", nil},
		{"an ancestor that others write", true, func(t *testing.T) string {
			dir := filepath.Join(folder(t, 0o777), "mine")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			return put(t, filepath.Join(dir, "f.yaml"), small, 0o644)
		}, "", nil},
		{"a link into a folder that others write", true, func(t *testing.T) string {
			target := put(t, filepath.Join(folder(t, 0o777), "f.yaml"), small, 0o644)
			link := filepath.Join(folder(t, 0o700), "f.yaml")
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			return link
		}, "and so choose what runs. Move the file to a folder of your own", nil},
		{"too large", false, func(t *testing.T) string {
			return put(t, filepath.Join(folder(t, 0o700), "f.yaml"), strings.Repeat("#", maxBytes+1), 0o600)
		}, "f.yaml:1:1: the file is larger than 8 MiB. Split what it does over several servers", nil},
		{"wrong within", false, func(t *testing.T) string {
			return put(t, filepath.Join(folder(t, 0o700), "f.yaml"), "methds: {}\n", 0o600)
		}, `f.yaml:1:1: methds: unknown key "methds". Did you mean methods?`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.posix && !posix {
				t.Skip("permissions and devices as POSIX has them")
			}
			path := tc.path(t)
			f, err := Load(path)
			switch {
			case tc.is != nil:
				if !errors.Is(err, tc.is) {
					t.Errorf("got %v, want %v", err, tc.is)
				}
			case tc.want == "":
				if err != nil || f.Path != path || len(f.Digest) != 64 || len(f.Methods) != 1 {
					t.Errorf("got %+v, %v", f, err)
				}
			case err == nil || !strings.HasSuffix(err.Error(), tc.want):
				t.Errorf("got %v, want …%s", err, tc.want)
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	path := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(path, nil, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
