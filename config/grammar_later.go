package config

// What the grammar has and this version does not run. It is read and checked all the same, so that a file
// says what is wrong with it and not only that it is early.

var modelForm = mapWith("a map", "{api: openai, model: m}",
	key{name: "api", doc: "The wire form it speaks.", forms: []form{aName.but("openai")}},
	key{name: "base_url", doc: "Where it is.", forms: []form{aText.but(`"http://127.0.0.1:11434/v1"`)}},
	key{name: "model", doc: "Its name there.", forms: []form{aText.but(`"qwen2.5:3b"`)}},
	key{name: "key", doc: "The secret to call it with.", forms: []form{aReference.but("env:MODEL_KEY")}},
	key{name: "headers", doc: "More headers.", forms: []form{headersForm}},
	key{name: "timeout", doc: "How long an answer may take.", forms: []form{aDuration.but("60s")}},
	key{name: "temperature", doc: "As the model takes it.", forms: []form{aNumber}},
	key{name: "max_tokens", doc: "The longest answer.", forms: []form{between(1, 10_000_000)}},
	key{name: "seed", doc: "For repeatable answers.", forms: []form{aNumber.but("1")}},
	key{name: "price", doc: "What tokens cost.", forms: []form{mapOf("a map of prices", "{input: 0.15, output: 0.6}", aNumber)}},
)

var headersForm = mapOf("a map of headers", `{X-Desk: "{desk}"}`, aText)

var askForm = mapWith("a map", `{model: local, prompt: "Sum up:\n\n{text}"}`,
	key{name: "model", doc: "One of models.", forms: []form{aName.but("local")}},
	key{name: "prompt", must: true, doc: "What is asked.", forms: []form{aProse}},
	key{name: "system", doc: "The system prompt.", forms: []form{aProse}},
	key{name: "toolset", doc: "The methods that it may call meanwhile.", forms: []form{aName.but("desk")}},
	key{name: "max_rounds", doc: "How often it may call them.", forms: []form{between(1, 100)}},
)

var upstreamForm = mapWith("a map", `{command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", /srv/docs]}`,
	key{name: "command", doc: "The program that serves on its standard input and output.", forms: []form{aText.but("npx")}},
	key{name: "args", doc: "Its arguments.", forms: []form{listOf(aWord, "[-y, server]")}},
	key{name: "env", doc: "Its variables.", forms: []form{mapOf("a map of variables", "{TOKEN: env:TOKEN}", form{noun: "a text, env:NAME or file:PATH", takes: []kind{text, number, boolean, odd}, secret: true, example: "env:TOKEN"})}},
	key{name: "cwd", doc: "Where it runs.", forms: []form{aText.but("/srv")}},
	key{name: "url", doc: "Where it serves HTTP.", forms: []form{aText.but(`"https://tools.example/mcp"`)}},
	key{name: "headers", doc: "More headers.", forms: []form{headersForm}},
	key{name: "auth", doc: "How we sign in.", forms: []form{authForm}},
	key{name: "effects", doc: "The effects of its tools; what is not listed counts as destructive.", forms: []form{mapWith("a map", "{read: [read_*]}",
		key{name: "read", doc: "Tools that only read.", forms: []form{someNames.but("[read_*, list_*]")}},
		key{name: "write", doc: "Tools that change what can be mended.", forms: []form{someNames.but("[create_*]")}},
		key{name: "destructive", doc: "Tools that change what can't.", forms: []form{someNames.but("[delete_*]")}},
	)}},
	key{name: "allow", doc: "The only tools that are offered.", forms: []form{someNames.but("[read_*]")}},
	key{name: "deny", doc: "Tools that are not offered.", forms: []form{someNames.but("[move_file]")}},
	key{name: "offer", doc: "As for methods.", forms: []form{oneOf("native", "menu", "both")}},
	key{name: "prefix", doc: "What its tools' names start with here.", forms: []form{aName.but("files_")}},
	key{name: "timeout", doc: "How long a call may take.", forms: []form{aDuration, timeoutForm}},
)

var toolsetForm = mapWith("a map", "{includes: [lookup_order]}",
	key{name: "includes", must: true, doc: "Methods and other toolsets.", forms: []form{someNames.but("[lookup_order]")}},
)

var approvalsForm = mapWith("a map", "{four_eyes: true}",
	key{name: "four_eyes", doc: "Who asks may not approve.", forms: []form{yesNo}},
	key{name: "allow", doc: "Who may approve.", forms: []form{someNames.but("[approver]")}},
)
