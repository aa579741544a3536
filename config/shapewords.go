package config

// shapeWord is one word of the map form of a shape. The registry reads shapes; this table is for editors and the
// reference alone, and a test compares the two.
type shapeWord struct {
	name   string
	doc    string
	forms  []form
	schema object // instead of forms, for what holds shapes again
}

// typeWords are the type names of a shape.
var typeWords = []string{"string", "integer", "number", "boolean", "array", "object", "any", "str", "int", "float", "bool", "list", "dict"}

var (
	aCount     = between(0, 1_000_000_000).but("1")
	someValues = form{noun: "a list", takes: []kind{list}, items: []form{anyValue}, example: "[damaged, late, other]", limit: maxValues}
	aSchema    = mapOf("a JSON Schema", "{type: string}", anyValue)
)

var shapeWords = []shapeWord{
	{name: "type", doc: "The type's name; string unless something else says it.", forms: []form{oneOf(typeWords...)}},
	{name: "description", doc: "What it is, for models and people.", forms: []form{aDescription.but("The order's number.")}},
	{name: "enum", doc: "The only values allowed.", forms: []form{someValues}},
	{name: "options", doc: "Another name of enum.", forms: []form{someValues}},
	{name: "const", doc: "The only value allowed.", forms: []form{anyValue.but("1")}},
	{name: "default", doc: "The value when none is given; makes it optional.", forms: []form{anyValue.but("10")}},
	{name: "required", doc: "false makes it optional, as a ? behind its name does.", forms: []form{yesNo.but("false")}},
	{name: "placeholder", doc: "An example of a value.", forms: []form{{noun: "a text", takes: []kind{text, number, boolean}, example: "A-1042"}}},
	{name: "multiline", doc: "A text of several lines.", forms: []form{yesNo}},
	{name: "secret", doc: "Masked in traces and logs.", forms: []form{yesNo}},
	{name: "label", doc: "Its name for people.", forms: []form{aLine.but("Order number")}},
	{name: "title", doc: "Another name of label.", forms: []form{aLine.but("Order number")}},
	{name: "from", doc: "Where the server takes the value from: caller.id, caller.roles, env:NAME or file:PATH. No model sees or sets it.", forms: []form{aText.but("caller.id")}},
	{name: "options_from", doc: "Where the values come from. Not in this version; list them with enum.", forms: []form{aText.but("functions")}},
	{name: "fields", doc: "The fields of an object, in order.", schema: object{{"type", "object"}, {"additionalProperties", object{{"$ref", "#/$defs/shape"}}}}},
	{name: "items", doc: "What a list holds.", schema: object{{"$ref", "#/$defs/shape"}}},
	{name: "json_schema", doc: "A whole JSON Schema instead of all that.", forms: []form{aSchema}},
	{name: "minimum", doc: "The least number.", forms: []form{aNumber}},
	{name: "maximum", doc: "The greatest number.", forms: []form{aNumber}},
	{name: "exclusiveMinimum", doc: "The number has to be greater.", forms: []form{aNumber.but("0")}},
	{name: "exclusiveMaximum", doc: "The number has to be smaller.", forms: []form{aNumber}},
	{name: "multipleOf", doc: "The number has to be a multiple.", forms: []form{aNumber}},
	{name: "minLength", doc: "The least number of characters.", forms: []form{aCount}},
	{name: "maxLength", doc: "The greatest number of characters.", forms: []form{aCount}},
	{name: "pattern", doc: "A regular expression that the text has to match.", forms: []form{aText.but(`"^[A-Z]-[0-9]+$"`)}},
	{name: "format", doc: "A format of JSON Schema, checked.", forms: []form{aName.but("date")}},
	{name: "minItems", doc: "The least number of items.", forms: []form{aCount}},
	{name: "maxItems", doc: "The greatest number of items.", forms: []form{aCount}},
	{name: "uniqueItems", doc: "No item stands there twice.", forms: []form{yesNo}},
}
