package config

// The most parameters beside an address, and headers, of one request.
const (
	maxQuery   = 200
	maxHeaders = 100
	maxURL     = 8000 // characters
	maxBody    = 2000 // values in a body
)

// aField is one value of a query or a header.
var aField = form{noun: "a text, env:NAME or file:PATH", takes: []kind{text, number, boolean, odd}, secret: true, example: "env:ORDERS_TOKEN"}

var authForm = mapWith("a map", "{bearer: env:ORDERS_TOKEN}",
	key{name: "bearer", doc: "A token.", forms: []form{aReference}},
	key{name: "basic", doc: "User and password, user:password.", forms: []form{aReference}},
).secretly() // somebody may write the token in its place

var httpForm = mapWith("a map", `{url: "https://orders.example/{order_id}"}`,
	key{name: "method", doc: "GET unless set.", forms: []form{oneOf("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")}},
	key{name: "url", must: true, doc: "The address. Values stand in its path and query alone, escaped: a value is one segment of the path, or one value of the query.",
		forms: []form{aText.but(`"https://orders.example/{order_id}"`).within(maxURL)}},
	key{name: "query", doc: "Further parameters of the address; one whose value is absent is left out.", forms: []form{
		mapOf("a map of parameters", `{page: "{page}", key: env:ORDERS_KEY}`, aField).upTo(maxQuery),
	}},
	key{name: "headers", doc: "Headers; one whose value is absent is left out.", forms: []form{
		mapOf("a map of headers", `{X-Desk: "{desk}", X-Api-Key: env:ORDERS_KEY}`, aField).upTo(maxHeaders),
	}},
	key{name: "body", doc: "What is sent: a text, or a map or a list as JSON, in which a text that is one placeholder becomes the value with its type and keys whose value is absent are left out. A map is sent as a form where the header Content-Type says application/x-www-form-urlencoded.",
		forms: []form{anyValue.but(`{order: "{order_id}", urgent: true}`)}},
	key{name: "auth", doc: "How it signs in, with a secret by reference.", forms: []form{authForm}},
	key{name: "allow_private", doc: "The host's name may lead to an address of a private network or of this machine. An IP address or localhost, written in the url, needs no leave.", forms: []form{yesNo}},
)
