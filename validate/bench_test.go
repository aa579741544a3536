package validate

import (
	"bytes"
	"encoding/json"
	"testing"
)

var (
	benchSchema = []byte(`{"type":"object","properties":{
		"order_id":{"type":"string","pattern":"^[A-Z]-[0-9]+$"},
		"amount":{"type":"number","exclusiveMinimum":0},
		"reason":{"enum":["damaged","late","other"]}},
		"required":["order_id","amount"],"additionalProperties":false}`)
	benchArgs = json.RawMessage(`{"order_id":"A-1042","amount":39.90,"reason":"late"}`)
	benchBad  = json.RawMessage(`{"amount":"39,90 EUR","reason":"broken"}`)
)

func BenchmarkDecode(b *testing.B) {
	b.Run("args", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(benchArgs); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("reference", func(b *testing.B) { // encoding/json, which takes duplicate keys
		b.ReportAllocs()
		for b.Loop() {
			var v any
			d := json.NewDecoder(bytes.NewReader(benchArgs))
			d.UseNumber()
			if err := d.Decode(&v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("list", func(b *testing.B) {
		raw := json.RawMessage("[" + string(bytes.Repeat([]byte(`{"a":[1,2,"three"]},`), 20_000)) + "0]")
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			if _, err := Decode(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	s := mustCompile(b, string(benchSchema))
	good, bad := mustDecode(b, string(benchArgs)), mustDecode(b, string(benchBad))
	b.Run("sound", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if p := s.Check("args", good); p != nil {
				b.Fatal(p)
			}
		}
	})
	b.Run("library", func(b *testing.B) { // the same by the library alone
		e, err := s.ready().engine()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := e.root.Validate(good); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("faulty", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if p := s.Check("args", bad); p == nil {
				b.Fatal("passed")
			}
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(benchSchema); err != nil {
			b.Fatal(err)
		}
	}
}
