package config

import (
	"fmt"

	"github.com/mcp-decide/mcp-decide/registry"
)

// helperTools are the tools of our own, whose names a file can't take.
var helperTools = []string{"pick_read", "pick_write", "pick_destructive", "find_options"}

// noneOfThese is the abstaining option.
const noneOfThese = "none_of_these"

// nameSpace is the one space of names that methods, decisions and our own tools share.
type nameSpace struct {
	names registry.Names
	list  []takenName
	first map[string]int // of a skeleton, the index in list
	looks int            // how often list was searched
}

// maxLooks bounds the searches for a name that looks alike in capitals alone.
const maxLooks = 20

type takenName struct {
	name, what string
	pos        Pos // zero for our own tools
}

func (s *nameSpace) helpers() {
	for _, name := range helperTools {
		s.add(takenName{name: name, what: "a tool of mcp-decide itself"})
	}
}

// add takes a name in, or returns the earlier one that it can be confused with.
func (s *nameSpace) add(t takenName) (earlier takenName, clash error) {
	skeleton := registry.Skeleton(t.name)
	if err := s.names.Add(t.name); err != nil {
		return s.like(t.name, skeleton), err
	}
	if s.first == nil {
		s.first = map[string]int{}
	}
	s.first[skeleton] = len(s.list)
	s.list = append(s.list, t)
	return takenName{}, nil
}

// like finds the name that another can be confused with.
func (s *nameSpace) like(name, skeleton string) takenName {
	if i, ok := s.first[skeleton]; ok {
		return s.list[i]
	}
	if s.looks++; s.looks > maxLooks {
		return takenName{}
	}
	for _, t := range s.list { // names that only look alike in capitals; rare
		var pair registry.Names
		if pair.Add(t.name) == nil && pair.Add(name) != nil {
			return t
		}
	}
	return takenName{}
}

// name checks the name of a method or decision; tool says that it becomes a tool's name.
func (b *builder) name(at *path, e entry, what string, tool bool) {
	if err := registry.CheckName(e.name); err != nil {
		b.failText(e.pos, at, err.Error())
		return
	}
	if err := registry.CheckToolName(e.name); err != nil && tool {
		fix := "Rename it"
		if what == "method" {
			fix = "Rename it, or write offer: menu"
		}
		b.fail(e.pos, at.String(), err.Error(), fix)
	}
	earlier, err := b.taken.add(takenName{e.name, "the " + what, e.pos})
	if err == nil {
		return
	}
	if earlier.name == "" {
		b.failText(e.pos, at, err.Error())
		return
	}
	if earlier.pos == (Pos{}) {
		b.fail(e.pos, at.String(), fmt.Sprintf("the name %q is taken by %s", earlier.name, earlier.what), "Rename it")
		return
	}
	message := fmt.Sprintf("the name %q is taken by %s at %v", e.name, earlier.what, earlier.pos)
	if e.name != earlier.name {
		message = fmt.Sprintf("the name %+q can be confused with %+q, %s at %v", e.name, earlier.name, earlier.what, earlier.pos)
	}
	b.fail(e.pos, at.String(), message, "Rename one of them: case and look-alike letters don't tell names apart")
}
