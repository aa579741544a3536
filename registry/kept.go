package registry

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Text is the option as a style of menu writes it: what write gives, which is the same whenever it is asked. It is kept for as long as the method
// is, so that a menu of many options is put together of texts that are there already. Of one method 64 texts are kept, of 64 KiB at
// most; what is beyond is written each time.
func (o *Option) Text(style string, write func(*Option) string) string {
	m := o.Method
	if m == nil || m.kept == nil || m.kept.of != m {
		return write(o)
	}
	texts := m.kept.all()
	for i := range texts {
		if k := &texts[i]; k.name == o.Name && k.style == style && k.again == o.Again && k.description == o.Description {
			return k.text
		}
	}
	text := write(o)
	if len(texts) < maxKept && len(text) <= maxKeptText {
		m.kept.add(keptText{style: style, name: o.Name, description: o.Description, again: o.Again, text: text})
	}
	return text
}

// The bounds of what is kept of one method.
const (
	maxKept     = 64
	maxKeptText = 64 << 10 // bytes of one text
)

// kept are the texts of one prepared method. They are read far more often than they are added to.
type kept struct {
	of    *Method // a copy of it may say something else
	texts atomic.Pointer[[]keptText]
	mu    sync.Mutex // of those who add
}

type keptText struct {
	style, name, description string
	again                    bool
	text                     string
}

func (k *kept) all() []keptText {
	if texts := k.texts.Load(); texts != nil {
		return *texts
	}
	return nil
}

// add keeps a text, unless it is there by now or there are enough.
func (k *kept) add(text keptText) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if texts := k.all(); len(texts) < maxKept && !slices.Contains(texts, text) {
		more := append(slices.Clip(texts), text)
		k.texts.Store(&more)
	}
}
