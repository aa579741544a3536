package config

import (
	"strings"
)

// shells read what they are given as a program of their own, so that a value could become a command.
var shells = words2set("sh bash rbash dash zsh ksh ksh93 mksh oksh lksh pdksh csh tcsh ash fish yash elvish nu xonsh osh oil hush msh lash sash scsh rc es pwsh powershell powershell_ise cmd command wsl")

// launchers start the program that stands among their arguments.
var launchers = words2set("env sudo doas runuser nohup nice ionice chrt taskset timeout setsid stdbuf unbuffer xargs time busybox toybox chroot unshare nsenter setpriv flock strace ltrace docker podman kubectl systemd-run systemd-inhibit dbus-run-session fakeroot proot bwrap firejail winpty entr find fd caffeinate")

// wrappers are the launchers whose first own argument is a program; the number is that of the arguments before it.
var wrappers = map[string]int{
	"env": 0, "sudo": 0, "doas": 0, "runuser": 0, "nohup": 0, "nice": 0, "ionice": 0, "chrt": 0, "taskset": 0, "timeout": 0, "setsid": 0, "stdbuf": 0, "unbuffer": 0,
	"xargs": 0, "time": 0, "busybox": 0, "toybox": 0, "unshare": 0, "nsenter": 0, "setpriv": 0, "strace": 0, "ltrace": 0, "systemd-run": 0, "systemd-inhibit": 0,
	"dbus-run-session": 0, "fakeroot": 0, "proot": 0, "bwrap": 0, "firejail": 0, "winpty": 0, "caffeinate": 0, "flock": 1, "chroot": 1,
}

// joiners hand their arguments, joined to one text, to a shell.
var joiners = words2set("ssh mosh su watch parallel script rsh")

// codeFlags are the arguments after which a program takes code.
var codeFlags = map[string][]string{
	"python": {"-c"}, "python3": {"-c"}, "python2": {"-c"}, "pypy3": {"-c"}, "perl": {"-e", "-E"}, "ruby": {"-e"}, "node": {"-e", "--eval", "-p", "--print"},
	"deno": {"eval"}, "bun": {"-e", "--eval"}, "php": {"-r"}, "lua": {"-e"}, "osascript": {"-e"}, "r": {"-e"}, "rscript": {"-e"}, "julia": {"-e"}, "psql": {"-c"}, "sqlite3": {"-cmd"},
}

func words2set(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// program checks what a command starts: a shell has to be accepted, and no value may become code.
func (b *builder) program(at *path, argv []*node, accepted bool) {
	flat := flatten(argv)
	if len(flat) == 0 {
		return
	}
	first := base(flat[0].text)
	if chosen := chosenProgram(flat, first); chosen != nil && !accepted {
		b.fail(chosen.pos, at.String(), "the value could name the program that "+first+" starts",
			"Write the program before it, without options of "+first+" that take a value between them; or write {argv: […], i_accept_shell: true}")
		return
	}
	if shell, why := shellIn(flat, first); shell != nil && !accepted {
		b.fail(shell.pos, at.String(), why, "Name the program itself, like [wc, -w]; or write {argv: […], i_accept_shell: true}")
		return
	}
	for i, n := range flat {
		if i > 0 && placeholders(n) && takesCode(flat[:i], first) {
			b.warn(n.pos, at.String(), "a value is put into code: what it holds could run", `Hand it over as an argument of its own, like [sh, -c, 'grep "$1" notes', sh, "{text}"]`)
		}
	}
}

// chosenProgram finds a value that stands where a launcher may look for its program: before a word that must be that. Numbers,
// NAME=value and what follows an option are no such words, since they may belong to the launcher.
func chosenProgram(argv []*node, first string) *node {
	left, wraps := wrappers[first]
	for i, n := range argv[1:] {
		before := argv[i].text
		switch {
		case placeholders(n) && (wraps || strings.HasPrefix(strings.TrimLeft(before, "-"), "exec") && first == "find" || strings.HasPrefix(before, "-ok")):
			return n
		case !wraps, strings.HasPrefix(n.text, "-"), strings.HasPrefix(before, "-"), strings.Contains(n.text, "="), n.text == "", n.text[0] >= '0' && n.text[0] <= '9':
		case left > 0:
			left--
		default:
			wraps = false
		}
	}
	return nil
}

// flatten lists the elements of argv, those of inner lists too.
func flatten(argv []*node) []*node {
	var out []*node
	for _, n := range argv {
		switch {
		case n.kind == list:
			out = append(out, flatten(n.items)...)
		case n.scalar():
			out = append(out, n)
		}
	}
	return out
}

// shellIn finds the shell that a command line starts, as its program or through a launcher, and says why it is one.
func shellIn(argv []*node, first string) (shell *node, why string) {
	const reads = " is a shell: it reads its arguments as commands"
	if isShell(argv[0].text) {
		return argv[0], quote(argv[0].text) + reads
	}
	for i, n := range argv[1:] {
		before := argv[i].text
		switch {
		case joiners[first] && placeholders(n):
			return n, first + " hands its arguments to a shell, which reads the value as commands"
		case !launchers[first]:
		case first == "env" && splits(n.text):
			return n, "env " + quote(n.text) + " splits a text into a command"
		case (first == "find" || first == "fd") && !strings.HasPrefix(strings.TrimLeft(before, "-"), "exec") && !strings.HasPrefix(before, "-ok") && before != "-x" && before != "-X":
		case isShell(n.text):
			return n, quote(n.text) + reads
		}
	}
	return nil, ""
}

// placeholders reports whether a value is put into an element.
func placeholders(n *node) bool { return strings.Contains(strings.ReplaceAll(n.text, "{{", ""), "{") }

func isShell(program string) bool {
	lower := strings.ToLower(program)
	if strings.HasSuffix(lower, ".bat") || strings.HasSuffix(lower, ".cmd") {
		return true // run by cmd, whose quoting can't be made safe
	}
	return shells[base(program)]
}

// splits reports whether an argument of env makes it split a text into words.
func splits(arg string) bool {
	if strings.HasPrefix(arg, "--split") || strings.HasPrefix(arg, "--s") && strings.HasPrefix("--split-string", arg) {
		return true
	}
	return strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.ContainsRune(flagsOf(arg), 'S')
}

// flagsOf are the letters of a group of short options of env, up to one that takes the rest as its value.
func flagsOf(arg string) string {
	if i := strings.IndexAny(arg, "uCP"); i >= 0 {
		return arg[:i]
	}
	return arg
}

// takesCode reports whether what follows these elements is code to the program.
func takesCode(before []*node, first string) bool {
	last := before[len(before)-1].text
	if shells[first] || launchers[first] {
		return last == "-c" || last == "/c" || last == "/C" || strings.EqualFold(last, "-command") ||
			len(last) > 1 && last[0] == '-' && last[1] != '-' && strings.HasSuffix(last, "c") && shells[first]
	}
	return contains(codeFlags[strings.TrimRight(first, "0123456789.")], last) || contains(codeFlags[first], last)
}

// base is a program's name without its folder and ending, in lower case.
func base(program string) string {
	if i := strings.LastIndexAny(program, `/\`); i >= 0 {
		program = program[i+1:]
	}
	program = strings.ToLower(program)
	for _, end := range []string{".exe", ".com"} {
		program = strings.TrimSuffix(program, end)
	}
	return program
}
