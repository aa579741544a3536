package config

// The whole grammar of the file, as data: the walker checks a file by it, Schema and docs/config.md are made from it.
// A key with lacks is read and checked like any other and then refused, since ignoring it would do something that
// nobody asked for.

// grammar is the file as a whole.
var grammar = mapWith("a map of keys", "{methods: {…}}",
	key{name: "server", doc: "How the server presents itself to its clients.", forms: []form{serverForm}},
	key{name: "models", doc: "Connections to language models, by name.", forms: []form{mapOf("a map of models", "{local: {api: openai, model: m}}", modelForm)},
		lacks: "The host's own model picks"},
	key{name: "methods", doc: "What can be called, by name.", forms: []form{mapOf("a map of methods", "{now: {summary: The time of day., run: [date]}}", methodForm).upTo(maxMethods)}},
	key{name: "upstreams", doc: "Other MCP servers whose tools are offered too, by name.", forms: []form{mapOf("a map of servers", "{files: {command: npx}}", upstreamForm)},
		lacks: "Connect the other server to the client itself"},
	key{name: "decisions", doc: "Prompts with options to pick from, by name.", forms: []form{mapOf("a map of decisions", "{triage: {summary: Pick., prompt: Pick., options: {done: {value: 1}}}}", decisionForm).upTo(maxMethods)}},
	key{name: "flows", doc: "Graphs of decisions, by name.", forms: []form{mapOf("a map of flows", "{triage: {start: look}}", anyValue)},
		lacks: "Use decisions; a read option with then: again lets one go on"},
	key{name: "toolsets", doc: "Named groups of methods.", forms: []form{mapOf("a map of toolsets", "{desk: {includes: [lookup_order]}}", toolsetForm)},
		lacks: "Name the methods in the options of a decision"},
	key{name: "access", doc: "Who may connect over HTTP, by name; a method's caller is then token:NAME. A map without entries means nobody; without the key there is one random token, printed at the start, unless the store is in PostgreSQL.",
		forms: []form{mapOf("a map of tokens", "{desk: {token: env:DESK_TOKEN, roles: [agent]}}", accessForm).upTo(maxAccess).secretly()}},
	key{name: "allow", doc: "The only methods that may run; patterns with *.", forms: []form{someNames.but("[lookup_*]")},
		lacks: "Leave out the methods that must not run"},
	key{name: "deny", doc: "Methods that must not run; patterns with *.", forms: []form{someNames.but("[delete_*]")},
		lacks: "Leave out the methods that must not run"},
	key{name: "approvals", doc: "Who may approve calls.", forms: []form{approvalsForm},
		lacks: "A call that needs an approval is refused"},
	key{name: "store", doc: "Where turns, calls and records are kept: sqlite:PATH, postgres://USER@HOST/DATABASE, memory:, or env:NAME; without the key in a file of the user's state folder.", forms: []form{{noun: "the place of the store", takes: []kind{text}, example: `"memory:"`, check: checkStore}}},
	key{name: "trace", doc: "What is kept of what happened.", forms: []form{traceForm}},
	key{name: "http", doc: "Under which names it is reached over HTTP, and from which pages; serve --http says where it listens.", forms: []form{httpServerForm}},
	key{name: "budgets", doc: "Limits on what models may cost.", forms: []form{mapOf("a map of budgets", "{day: 5}", anyValue)}, lacks: "It asks no model itself"},
)

var serverForm = mapWith("a map", "{name: support-desk}",
	key{name: "name", doc: "The server's name for programs.", forms: []form{aLine.but("support-desk")}},
	key{name: "title", doc: "Its name for people.", forms: []form{aLine.but("Support desk")}},
	key{name: "instructions", doc: "What a model should know before it uses the methods; under 2 KB.", forms: []form{aProse.but("Settle support tickets one at a time.")}},
)

var traceForm = mapWith("a map", "{keep: 30d, content: full, max_size: 1GiB}",
	key{name: "keep", doc: "How long records are kept; 30 days unless set. With store: memory: they end with the server.", forms: []form{aDuration.but("30d")}},
	key{name: "content", doc: "Whether arguments, replies, outputs, reasons and what failed runs said are kept as they are (full), as keyed digests (hash), or not at all (none); full unless set. What a turn needs to tell its outcome again is kept with the turn.", forms: []form{oneOf("full", "hash", "none")}},
	key{name: "max_size", doc: "How much all records may take, about; above it the oldest go. 1GiB unless set, and 64MiB in memory.", forms: []form{aSize}},
)

// The most elements of one command line, and variables of its environment.
const (
	maxArgs      = 2000
	maxVariables = 500
)

// maxRetries is the most answers beyond the first: a turn has 20 rounds.
const maxRetries = 19

// runs are the keys of which a method has exactly one: what it does.
var runs = []string{"run", "value", "schema", "http", "ask", "upstream"}

var methodForm = mapWith("a map", "{summary: Read one order., effect: read, run: [order-cli, show, \"{order_id}\"]}",
	key{name: "summary", must: true, doc: "One line: what it does and when to pick it.", forms: []form{aLine}},
	key{name: "title", doc: "Its name for people; made from the name unless set.", forms: []form{aLine.but("Look up an order")}},
	key{name: "description", doc: "More than the summary, for the native tool.", forms: []form{aDescription}},
	key{name: "effect", doc: "What it does to the world. A method that does not say counts as destructive.", forms: []form{oneOf("read", "write", "destructive")}},
	key{name: "idempotent", doc: "A second equal call changes nothing further.", forms: []form{yesNo}},
	key{name: "open_world", doc: "It talks to systems outside this machine.", forms: []form{yesNo}},
	key{name: "params", doc: "Its parameters by name, in order; a ? behind the name makes one optional.", forms: []form{someShapes}},
	key{name: "returns", doc: "The shape of its result, for an output schema.", forms: []form{aShape.but("{total: number}")}},
	key{name: "run", doc: "Runs a program with these arguments, never through a shell. An inner list is left out when one of its values is absent.", forms: []form{
		{noun: "a list", takes: []kind{list}, items: argForms, some: true, limit: maxArgs, example: `[wc, -w, "{file}"]`}, runForm,
		{noun: "", takes: []kind{text}, check: checkRunText},
	}},
	key{name: "value", doc: "Returns this fixed value.", forms: []form{anyValue}},
	key{name: "schema", doc: "Returns data of this form, filled in by whoever calls it.", forms: []form{someShapes.but("{queue: {enum: [billing, technical]}}")}},
	key{name: "http", doc: "Calls an HTTP endpoint. Redirects are not followed, and the environment's proxy is not used.", forms: []form{httpForm}},
	key{name: "ask", doc: "Asks a model.", forms: []form{askForm}, lacks: "Let the host's model do it, with a decision"},
	key{name: "upstream", doc: "Calls a tool of another MCP server.", forms: []form{aText.but("files.read_file"), mapOf("a map", "{server: files, tool: read_file}", aText)},
		lacks: "Connect the other server to the client itself"},
	key{name: "timeout", doc: "How long a call may take; 30 s unless set, 10 minutes at most.", forms: []form{aDuration.but("5s"), timeoutForm}},
	key{name: "cache", doc: "How long a result is used again for an equal call.", forms: []form{aDuration, yesNo}, lacks: "Every call runs"},
	key{name: "result_cap", doc: "How many characters of a result are passed on; 30,000 unless set.", forms: []form{between(1, 1_000_000).but("30000")}},
	key{name: "offer", doc: "native: a tool of its own; menu: only as an option; both: both.", forms: []form{oneOf("native", "menu", "both")}},
	key{name: "toolsets", doc: "The groups that it belongs to.", forms: []form{someNames}, lacks: "Name the methods in the options of a decision"},
	key{name: "roles", doc: "Who may call it.", forms: []form{someNames.but("[agent]")}, lacks: "One client is served; leave out what it must not run"},
	key{name: "unsafe_in", doc: "The channels in which it is not offered.", forms: []form{someNames.but("[public]")}, lacks: "Leave the method out where it must not run"},
	key{name: "available_if", doc: "A condition, looked at once at the start.", forms: []form{anyValue.but("true")}, lacks: "Leave the method out where it can't run"},
	key{name: "check", doc: "A condition, looked at before every call.", forms: []form{anyValue.but("true")}, lacks: "Let the program itself refuse"},
	key{name: "requires_env", doc: "Environment variables without which it is off.", forms: []form{someNames.but("[ORDERS_TOKEN]")}, lacks: "Hand the variable to the program with run.env: {NAME: env:NAME}, which needs it too"},
	key{name: "requires_approval", doc: "A person has to agree first: always, or if the arguments fit.", forms: []form{yesNo, aLine.but("A person decides."), approvalForm}},
	key{name: "on_cancel", doc: "What becomes of a write whose caller has gone: finish lets it end, stop ends it.", forms: []form{oneOf("finish", "stop")}},
	key{name: "rate", doc: "How often each caller may call it: 50/s, 10/1m, 100/h, or unlimited. Over HTTP 50/s unless set, else unlimited.", forms: aRate},
	key{name: "search_hint", doc: "More words to find it by.", forms: []form{aText}, lacks: "There is no search yet; say it in summary"},
	key{name: "expose", doc: "What the model calls of its callers see of its run: its call and those it makes (io), its model calls alone (llm), all (full), or nothing (hidden). io where a model picked it, full where a program calls it, unless set.", forms: []form{oneOf(exposeWords...)}},
	key{name: "render_range", doc: "How much of what happened its own model calls see, counted in nodes: calls, model calls and what a user said. All that they may see at all unless set.", forms: []form{rangeForm}},
).having(runs)

var argForms = []form{aWord, {noun: "an inner list", takes: []kind{list}, items: []form{aWord}, some: true, example: `[--reason, "{reason}"]`}}

var runForm = mapWith("a map", `{argv: [wc, -w], stdin: "{text}"}`,
	key{name: "argv", must: true, doc: "The program and its arguments.", forms: []form{{noun: "a list", takes: []kind{list}, items: argForms, some: true, limit: maxArgs, example: `[wc, -w]`},
		{noun: "", takes: []kind{text}, check: checkArgvText}}},
	key{name: "stdin", doc: "What the program reads.", forms: []form{aText.but(`"{text}"`)}},
	key{name: "cwd", doc: "Where it runs; the folder of this file unless set.", forms: []form{aText.but("/srv/desk")}},
	key{name: "env", doc: "Variables that it gets beside PATH, HOME and the like: a text, or env:NAME or file:PATH.", forms: []form{
		mapOf("a map of variables", "{ORDERS_TOKEN: env:ORDERS_TOKEN}", form{noun: "a text, env:NAME or file:PATH", takes: []kind{text, number, boolean, odd}, secret: true, example: "env:ORDERS_TOKEN"}).upTo(maxVariables),
	}},
	key{name: "output", doc: "Whether its output is text or JSON; text unless set.", forms: []form{oneOf("text", "json")}},
	key{name: "ok_exit", doc: "The exit codes that mean success; 0 alone unless set.", forms: []form{listOf(between(0, 255), "[0, 1]").filled()}},
	key{name: "allow_dash", doc: "A value may start with -, though the program could take it for an option.", forms: []form{yesNo}},
	key{name: "i_accept_shell", doc: "The program may be a shell.", forms: []form{yesNo}},
)

var timeoutForm = mapWith("a map", "{default: 5s}",
	key{name: "default", doc: "Unless the caller says otherwise.", forms: []form{aDuration}},
	key{name: "min", doc: "The least a caller may ask for.", forms: []form{aDuration}, lacks: "Write timeout: 5s"},
	key{name: "max", doc: "The most a caller may ask for.", forms: []form{aDuration}, lacks: "Write timeout: 5s"},
)

var approvalForm = mapWith("a map", "{if: {amount: {minimum: 50}}, reason: From 50 up a person decides.}",
	key{name: "if", doc: "Conditions on arguments, in words of JSON Schema; asks when all hold, or one can't be judged.", forms: []form{
		{noun: "a map of conditions", takes: []kind{mapping}, free: true, some: true, example: "{amount: {minimum: 50}}"},
	}},
	key{name: "reason", doc: "Why, for the person who decides.", forms: []form{aLine.but("From 50 up a person decides.")}},
)

var decisionForm = mapWith("a map", `{summary: Settle one ticket., prompt: "Handle:\n{ticket}", options: {…}}`,
	key{name: "summary", must: true, doc: "One line: what is decided.", forms: []form{aLine.but("Settle one support ticket.")}},
	key{name: "title", doc: "Its name for people; made from the name unless set.", forms: []form{aLine.but("Settle a ticket")}},
	key{name: "params", doc: "Its inputs by name, in order.", forms: []form{someShapes.but("{ticket: {type: string, multiline: true}}")}},
	key{name: "prompt", must: true, doc: "What the picker is asked; {name} stands for an input.", forms: []form{aProse.but(`"Handle this ticket:\n{ticket}"`)}},
	key{name: "options", must: true, doc: "What can be picked, in order: by name, or as a list of method names and single-key maps.", forms: []form{
		mapOf("a map of options", "{refund: issue_refund, close: {value: closed, description: Nothing is left to do.}}", optionForms...).filled().upTo(maxMethods),
		{noun: "a list", takes: []kind{list}, some: true, limit: maxMethods, example: "[lookup_order, issue_refund]", items: []form{aName,
			mapOf("a single-key map", "look: {method: lookup_order}", optionForms...)}},
	}},
	key{name: "picker", doc: "Who picks: host, or a list of fall-backs.", forms: []form{pickerForm, listOf(pickerForm, "[host]").filled()}},
	key{name: "work_first", doc: "The picker may use tools before it picks.", forms: []form{yesNo}, lacks: "Give a read option then: again"},
	key{name: "max_retries", doc: "How many answers beyond the first may be refused; 1 unless set.", forms: []form{between(0, maxRetries).but("1")}},
	key{name: "reading", doc: "How an answer is read; strict unless set. lenient also takes what has one meaning alone, such as a number in quotes or a name in other case, but for options that only read.", forms: []form{oneOf("strict", "lenient")}},
	key{name: "style", doc: "How the menu looks.", forms: []form{oneOf("full", "compact", "classic")}},
	key{name: "phrases", doc: "Sentences of an answer without a pick that stand for an option, which must only read and need no argument.", forms: []form{
		mapOf("a map of phrases and options", `{"Nothing is left to do": close}`, aName.but("close")).filled().upTo(maxPhrases),
	}},
	key{name: "on_failure", doc: "The option taken after the last refused answer; it must only read.", forms: []form{aName.but("leave_open")}},
	key{name: "none", doc: "Offers none_of_these too.", forms: []form{yesNo}},
	key{name: "ttl", doc: "How long a turn stays open; 60 minutes unless set.", forms: []form{aDuration.but("60m")}},
	key{name: "toolsets", doc: "Offers the methods of these groups too.", forms: []form{someNames}, lacks: "Name the methods in options"},
)

// pickers are those that a file may name; this version has the host alone.
var pickers = []string{"host", "model", "sampling", "human"}

var pickerForm = form{noun: "one of " + join(pickers, "or"), takes: []kind{text}, words: pickers, example: "host", check: checkPicker}

var optionForms = []form{aName.but("issue_refund"), optionForm}

var optionForm = mapWith("a map", "{method: lookup_order, description: Read the order first.}",
	key{name: "method", doc: "The method that is picked.", forms: []form{aName}},
	key{name: "description", doc: "When to pick it; the method's summary unless set.", forms: []form{aDescription.but("Read the order first.")}},
	key{name: "then", doc: "again: the turn goes on after this option. Only for methods that read.", forms: []form{oneOf("again")}},
	key{name: "value", doc: "Picking it gives this value.", forms: []form{anyValue}},
	key{name: "schema", doc: "Picking it gives data of this form, filled in by the picker.", forms: []form{someShapes.but("{queue: {enum: [billing, technical]}}")}},
).having(picks)

// picks are the keys of which an option has exactly one.
var picks = []string{"method", "value", "schema"}
