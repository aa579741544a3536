package menu

import "strings"

// namespaces stand before the names of tags in some formats.
var namespaces = []string{"antml:", "minimax:", dsml}

const dsml = "｜DSML｜"

// element is an opening tag in a format of tags: <name>, <name=value>, <name key="value">.
type element struct {
	written  string // the name as its closing tag has to repeat it
	name     string // in lower case, without what stands before it
	space    string // what stands before it
	value    string // what follows "=", or the attribute "name"
	isString string // the attribute "string"
	end      int    // behind the tag
	empty    bool   // <name/>
}

// elementAt reads the opening tag at pos.
func elementAt(text string, pos int) (e element, ok bool) {
	if !strings.HasPrefix(text[pos:], "<") {
		return e, false
	}
	i := pos + 1
	for _, space := range namespaces {
		if strings.HasPrefix(text[i:], space) {
			e.space = space
			i += len(space)
		}
	}
	name := nameAt(text, i)
	i += len(name)
	e.name, e.written = strings.ToLower(name), e.space+name
	if name == "" || i == len(text) {
		return e, false
	}
	if text[i] == '=' {
		end := strings.IndexAny(text[i:min(len(text), i+maxCallName)], "<>\n")
		if end < 0 || text[i+end] != '>' {
			return e, false
		}
		e.value = strings.Trim(strings.TrimSpace(text[i+1:i+end]), `"`)
		e.end = i + end + 1
		return e, e.value != "" && !strings.ContainsAny(e.value, "\"' ")
	}
	return e, e.attributes(text, i)
}

// attributes reads the rest of a tag from i on.
func (e *element) attributes(text string, i int) bool {
	for {
		near := text[i:min(len(text), i+maxIndent)]
		blanks := len(near) - len(strings.TrimLeft(near, " \r\n\t"))
		i += blanks
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, ">"):
			e.end = i + 1
			return true
		case strings.HasPrefix(rest, "/>"):
			e.end, e.empty = i+2, true
			return true
		case blanks == 0:
			return false
		}
		key := nameAt(text, i)
		value, ok := strings.CutPrefix(rest[len(key):], "=")
		if key == "" || !ok || value == "" || value[0] != '"' && value[0] != '\'' {
			return false
		}
		near = value[1:min(len(value), 1+maxCallName)]
		end := strings.IndexAny(near, "<>\n"+value[:1])
		if end < 0 || near[end] != value[0] {
			return false
		}
		switch {
		case key == "name" && e.value == "":
			e.value = near[:end]
		case key == "string" && e.isString == "":
			e.isString = near[:end]
		case key == "name" || key == "string":
			return false
		}
		i += len(key) + 1 + end + 2
	}
}

// close is where the closing tag of e ends that follows at pos, behind blanks.
func (s *scanner) close(e element, pos int) (end int, ok bool) {
	pos = s.blankEnd(pos)
	closing := "</" + e.written + ">"
	return pos + len(closing), strings.HasPrefix(s.text[pos:], closing)
}

// inside is the text of e up to its closing tag.
func (s *scanner) inside(e element) (text string, end int, ok bool) {
	closing := "</" + e.written + ">"
	n := strings.Index(s.text[e.end:], closing)
	if n < 0 {
		return "", 0, false
	}
	return s.text[e.end : e.end+n], e.end + n + len(closing), true
}

const (
	noClosing = "a closing tag is missing"
	noParts   = "something stands between its parts, or a tag is damaged"
)

// tagged reads <function=name> and <invoke name="name">, with parameters in tags or one argument object.
func (s *scanner) tagged() {
	d := s.draft(formInvoke)
	e, ok := elementAt(s.text, s.pos)
	switch {
	case e.name == "function":
		d.form = formQwen
	case e.space == dsml:
		d.form = formDSML
	}
	switch {
	case ok && e.value == "" && e.name == "invoke" && !e.empty:
		s.keyTags(&d, e)
		return
	case !ok || e.value == "":
		s.vendor()
		return
	}
	d.call(e.value, s.read)
	if e.empty {
		d.close()
		s.hand(&d, e.end)
		return
	}
	if at := s.blankEnd(e.end); strings.HasPrefix(s.text[at:], "{") {
		s.objectIn(&d, e, at)
		return
	}
	s.parameters(&d, e)
}

// objectIn reads the argument object that stands alone inside e.
func (s *scanner) objectIn(d *draft, e element, at int) {
	end, ok := s.argumentsAt(d, at)
	if ok {
		end, ok = s.close(e, end)
	}
	if !ok {
		s.lose(d, "the argument object or its closing tag is damaged or missing")
		return
	}
	s.hand(d, end)
}

// parameters reads <parameter=key>value</parameter> and <parameter name="key">value</parameter> up to the end of e.
func (s *scanner) parameters(d *draft, e element) {
	for pos := e.end; ; {
		if end, ok := s.close(e, pos); ok {
			d.close()
			s.hand(d, end)
			return
		}
		p, ok := elementAt(s.text, s.blankEnd(pos))
		if !ok || p.name != "parameter" || p.space != e.space || p.value == "" || p.empty {
			s.lose(d, noParts)
			return
		}
		text, end, ok := s.inside(p)
		if !ok {
			s.lose(d, noClosing)
			return
		}
		d.parameter(p, text)
		pos = end
	}
}

// parameter adds the value of one parameter. DSML says whether it is a text or JSON, and that texts are not escaped.
func (d *draft) parameter(p element, text string) {
	if p.space != dsml || p.isString == "" {
		d.note(doubtOf(text, ""))
		d.put(p.value, text)
		return
	}
	d.note(doubtOfRaw(text, ""))
	k := skimmer{text: trimUnseen(text)}
	d.key(p.value)
	switch {
	case p.isString == "true":
		d.args = appendText(d.args, text)
	case p.isString == "false" && k.text != "" && k.value() && k.pos == len(k.text):
		d.args = append(d.args, k.text...)
	default:
		d.args = append(d.args, "null"...)
		d.note("a value that is said to be JSON is none")
	}
}

// note keeps the first doubt.
func (d *draft) note(doubt string) {
	if d.doubt == "" {
		d.doubt = doubt
	}
}

var (
	nameTags     = set("tool_name name")
	argumentTags = set("parameters arguments args input params")
	wrappingTags = set("tool_call tool_use function_call")
)

// wrapped reads a call inside a tag behind which an object may stand as well. ok is false when none of these forms begins there.
func (s *scanner) wrapped(t tag) (ok bool) {
	if t.closing || !wrappingTags[t.name] {
		return false
	}
	at := s.blankEnd(s.pos + t.size)
	if t.size > len(t.name)+len("<>") {
		if e, ok := elementAt(s.text, s.pos); ok && e.value != "" {
			s.named(e, at)
			return true
		}
	}
	if at == len(s.text) || s.text[at] == '{' {
		return false
	}
	inner := tagAt(s.text[at:])
	name := nameAt(s.text, at)
	if name == "" && (inner.closing || !nameTags[inner.name]) {
		return false
	}
	e, ok := elementAt(s.text, s.pos)
	if !ok || e.empty {
		return false
	}
	if name == "" {
		d := s.draft(formKeyTags)
		s.keyTags(&d, e)
		return true
	}
	if s.opensCall(at) {
		s.literalIn(e, at)
		return true
	}
	behind := s.blankEnd(at + len(name))
	if !strings.HasPrefix(s.text[behind:], "<arg_key>") && !strings.HasPrefix(s.text[behind:], "</"+e.written+">") {
		return false
	}
	d := s.draft(formGLM)
	d.call(name, s.read)
	s.keysAndValues(&d, e, behind)
	return true
}

// named reads <tool_call name="name">{...}</tool_call>.
func (s *scanner) named(e element, at int) {
	if e.empty || !strings.HasPrefix(s.text[at:], "{") {
		s.vendor()
		return
	}
	d := s.draft(formInvoke)
	d.call(e.value, s.read)
	s.objectIn(&d, e, at)
}

// keysAndValues reads <arg_key>key</arg_key><arg_value>value</arg_value> up to the end of e.
func (s *scanner) keysAndValues(d *draft, e element, pos int) {
	for {
		if end, ok := s.close(e, pos); ok {
			d.close()
			s.hand(d, end)
			return
		}
		key, ok := elementAt(s.text, s.blankEnd(pos))
		if !ok || key.written != "arg_key" || key.empty {
			s.lose(d, noParts)
			return
		}
		name := nameAt(s.text, s.blankEnd(key.end))
		pos, ok = s.close(key, s.blankEnd(key.end)+len(name))
		value, opens := elementAt(s.text, s.blankEnd(min(pos, len(s.text))))
		if !ok || !opens || name == "" || value.written != "arg_value" || value.empty {
			s.lose(d, noParts)
			return
		}
		text, end, ok := s.inside(value)
		if !ok {
			s.lose(d, noClosing)
			return
		}
		d.note(doubtOf(text, ""))
		d.put(name, text)
		pos = end
	}
}

// keyTags reads <tool_name>name</tool_name> and, in a tag of their own, arguments with a tag for each key, or one argument object,
// up to the end of e.
func (s *scanner) keyTags(d *draft, e element) {
	d.form = formKeyTags
	tool, ok := elementAt(s.text, s.blankEnd(e.end))
	if !ok || !nameTags[tool.name] || tool.empty {
		s.lose(d, noParts)
		return
	}
	at := s.blankEnd(tool.end)
	name := nameAt(s.text, at)
	pos, ok := s.close(tool, at+len(name))
	if !ok || name == "" {
		s.lose(d, "the name is not whole")
		return
	}
	d.call(name, s.read)
	if end, ok := s.close(e, pos); ok {
		d.close()
		s.hand(d, end)
		return
	}
	all, ok := elementAt(s.text, s.blankEnd(pos))
	if !ok || !argumentTags[all.name] || all.empty {
		s.lose(d, noParts)
		return
	}
	if pos, ok = s.keyed(d, all); !ok {
		return
	}
	end, ok := s.close(e, pos)
	if !ok {
		s.lose(d, noClosing)
		return
	}
	s.hand(d, end)
}

// keyed reads the arguments inside the tag all. ok is false when the call was given up.
func (s *scanner) keyed(d *draft, all element) (end int, ok bool) {
	if at := s.blankEnd(all.end); strings.HasPrefix(s.text[at:], "{") {
		if end, ok = s.argumentsAt(d, at); ok {
			end, ok = s.close(all, end)
		}
		if !ok {
			s.lose(d, "the argument object or its closing tag is damaged or missing")
		}
		return end, ok
	}
	for pos := all.end; ; {
		if end, ok := s.close(all, pos); ok {
			d.close()
			return end, true
		}
		key, ok := elementAt(s.text, s.blankEnd(pos))
		if !ok || key.empty || key.value != "" || structure[key.name] {
			s.lose(d, noParts)
			return 0, false
		}
		text, end, ok := s.inside(key)
		if !ok {
			s.lose(d, noClosing)
			return 0, false
		}
		d.note(doubtOf(text, key.written))
		d.put(key.written, text)
		pos = end
	}
}
