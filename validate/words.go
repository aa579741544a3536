package validate

import "slices"

// shape is what the value of a schema word has to look like.
type shape int

const (
	anyValue shape = iota
	aBool
	aText
	aList
	aNumber
	aPositive // a number over 0
	aCount    // a whole number from 0
	texts     // a list of different texts
	aType     // a type name or a list of them
	aPattern
	aReference
	anAnchor
	aSchema
	schemas    // a list of schemas, at least one
	schemaMap  // schemas by name
	patternMap // schemas by pattern
	textsMap   // lists of texts by name
	eitherMap  // by name, a schema or a list of texts
	unusable   // a word of the standard that this package does not take
)

// step of a subschema: which value it is applied to.
type reach int

const (
	apart   reach = iota // to none: it waits for a reference
	inPlace              // to the same value
	below                // to a part of the value
)

// word is what is known about one JSON Schema word.
type word struct {
	shape shape
	reach reach // of the subschemas in it
	plain bool  // fits knows it, or it asserts nothing
}

// words are the JSON Schema words of draft 2020-12 that this package takes, with a few of
// older drafts and of OpenAPI that are common and do no harm.
var words = map[string]word{
	"$schema":     {aText, apart, true},
	"$id":         {aText, apart, true},
	"$comment":    {aText, apart, true},
	"title":       {aText, apart, true},
	"description": {aText, apart, true},
	"default":     {anyValue, apart, true},
	"examples":    {aList, apart, true},
	"example":     {anyValue, apart, true},
	"deprecated":  {aBool, apart, true},
	"readOnly":    {aBool, apart, true},
	"writeOnly":   {aBool, apart, true},

	"$defs":       {schemaMap, apart, true},
	"definitions": {schemaMap, apart, true},
	"$anchor":     {anAnchor, apart, true},
	"$ref":        {aReference, inPlace, false},

	"type":  {aType, apart, true},
	"enum":  {aList, apart, true},
	"const": {anyValue, apart, true},

	"multipleOf":       {aPositive, apart, false},
	"minimum":          {aNumber, apart, true},
	"exclusiveMinimum": {aNumber, apart, true},
	"maximum":          {aNumber, apart, true},
	"exclusiveMaximum": {aNumber, apart, true},

	"minLength":        {aCount, apart, true},
	"maxLength":        {aCount, apart, true},
	"pattern":          {aPattern, apart, true},
	"format":           {aText, apart, true},
	"contentEncoding":  {aText, apart, true},
	"contentMediaType": {aText, apart, true},
	"contentSchema":    {aSchema, inPlace, false},

	"minItems":         {aCount, apart, true},
	"maxItems":         {aCount, apart, true},
	"uniqueItems":      {aBool, apart, false},
	"items":            {aSchema, below, true},
	"prefixItems":      {schemas, below, false},
	"contains":         {aSchema, below, false},
	"minContains":      {aCount, apart, false},
	"maxContains":      {aCount, apart, false},
	"unevaluatedItems": {aSchema, below, false},

	"minProperties":         {aCount, apart, true},
	"maxProperties":         {aCount, apart, true},
	"required":              {texts, apart, true},
	"properties":            {schemaMap, below, true},
	"patternProperties":     {patternMap, below, false},
	"additionalProperties":  {aSchema, below, true},
	"propertyNames":         {aSchema, below, false},
	"unevaluatedProperties": {aSchema, below, false},
	"dependentRequired":     {textsMap, apart, false},
	"dependentSchemas":      {schemaMap, inPlace, false},
	"dependencies":          {eitherMap, inPlace, false},

	"allOf": {schemas, inPlace, false},
	"anyOf": {schemas, inPlace, false},
	"oneOf": {schemas, inPlace, false},
	"not":   {aSchema, inPlace, false},
	"if":    {aSchema, inPlace, false},
	"then":  {aSchema, inPlace, false},
	"else":  {aSchema, inPlace, false},

	"$dynamicRef":      {unusable, apart, false},
	"$dynamicAnchor":   {unusable, apart, false},
	"$recursiveRef":    {unusable, apart, false},
	"$recursiveAnchor": {unusable, apart, false},
	"$vocabulary":      {unusable, apart, false},
}

// Keywords are the JSON Schema words that Compile takes, sorted.
func Keywords() []string {
	var names []string
	for name, w := range words {
		if w.shape != unusable {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// types is a set of JSON type names.
type types uint8

const (
	aNull types = 1 << iota
	aBoolean
	aString
	anInteger
	aFloat // number
	anArray
	anObject
)

// typeNames and what a model reads for them, in the order in which they are listed.
var typeNames = []struct {
	set        types
	name, noun string
}{
	{aString, "string", "a text"},
	{aFloat, "number", "a number"},
	{anInteger, "integer", "an integer"},
	{aBoolean, "boolean", "true or false"},
	{anArray, "array", "a list"},
	{anObject, "object", "an object"},
	{aNull, "null", "null"},
}

func typeNamed(name string) (types, bool) {
	for _, t := range typeNames {
		if t.name == name {
			return t.set, true
		}
	}
	return 0, false
}
