package registry

import (
	"maps"
	"slices"
)

// metaWords are the words of the meta form: our own, and those of JSON Schema that say something
// about one value. References and $defs are missing on purpose: clients can't resolve them.
var metaWords = map[string]metaWord{
	"type":         {own: true},
	"description":  {own: true},
	"options":      {own: true},
	"enum":         {own: true},
	"const":        {own: true},
	"fields":       {own: true},
	"items":        {own: true},
	"default":      {own: true},
	"required":     {own: true},
	"placeholder":  {own: true},
	"multiline":    {own: true},
	"options_from": {own: true},
	"label":        {own: true},
	"title":        {own: true},
	"from":         {own: true},
	"secret":       {own: true},
	"json_schema":  {own: true},
	"properties":   {own: true}, // refused with the form to write

	"minimum":          {value: aNumber, types: numeric},
	"maximum":          {value: aNumber, types: numeric},
	"exclusiveMinimum": {value: aNumber, types: numeric},
	"exclusiveMaximum": {value: aNumber, types: numeric},
	"multipleOf":       {value: aNumber, types: numeric},

	"minLength":        {value: aCount, types: []Type{String}},
	"maxLength":        {value: aCount, types: []Type{String}},
	"pattern":          {value: aText, types: []Type{String}},
	"format":           {value: aText, types: []Type{String}},
	"contentEncoding":  {value: aText, types: []Type{String}},
	"contentMediaType": {value: aText, types: []Type{String}},
	"contentSchema":    {value: aSchema, types: []Type{String}},

	"minItems":         {value: aCount, types: []Type{Array}},
	"maxItems":         {value: aCount, types: []Type{Array}},
	"uniqueItems":      {value: aBool, types: []Type{Array}},
	"contains":         {value: aSchema, types: []Type{Array}},
	"minContains":      {value: aCount, types: []Type{Array}},
	"maxContains":      {value: aCount, types: []Type{Array}},
	"prefixItems":      {value: aList, types: []Type{Array}},
	"unevaluatedItems": {value: aSchema, types: []Type{Array}},

	"minProperties":         {value: aCount, types: []Type{Object}},
	"maxProperties":         {value: aCount, types: []Type{Object}},
	"additionalProperties":  {value: aSchema, types: []Type{Object}},
	"unevaluatedProperties": {value: aSchema, types: []Type{Object}},
	"propertyNames":         {value: aSchema, types: []Type{Object}},
	"patternProperties":     {value: anObject, types: []Type{Object}},
	"dependentRequired":     {value: anObject, types: []Type{Object}},
	"dependentSchemas":      {value: anObject, types: []Type{Object}},

	"allOf":      {value: aList},
	"anyOf":      {value: aList},
	"oneOf":      {value: aList},
	"not":        {value: aSchema},
	"if":         {value: aSchema},
	"then":       {value: aSchema},
	"else":       {value: aSchema},
	"examples":   {value: aList},
	"deprecated": {value: aBool},
	"readOnly":   {value: aBool},
	"writeOnly":  {value: aBool},
	"$comment":   {value: aText},
}

// metaWord says how one word is read: by metaReader.own, or as a JSON Schema word that goes into
// the schema as written.
type metaWord struct {
	own   bool
	value valueForm
	types []Type // the types that the word says something about; nil = all
}

var numeric = []Type{Number, Integer}

// valueForm is what the value of a JSON Schema word has to be, as a noun for error texts.
type valueForm string

const (
	aNumber  valueForm = "a number"
	aCount   valueForm = "a whole number from 0"
	aText    valueForm = "a text"
	aBool    valueForm = "true or false"
	aList    valueForm = "a list"
	anObject valueForm = "an object"
	aSchema  valueForm = "a JSON Schema: an object, true or false"
)

// metaNames are all words, sorted.
func metaNames() []string { return slices.Sorted(maps.Keys(metaWords)) }
