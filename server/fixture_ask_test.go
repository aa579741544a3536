package server

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"
)

// seal makes and opens the state that a client carries from round to round.
type seal []byte

func newSeal() seal { return seal(rand.Text()) }

func (s seal) close(state string) string {
	mac := hmac.New(sha256.New, s)
	mac.Write([]byte(state))
	return state + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// open is the state of a sealed one. The first round has none.
func (s seal) open(sealed string) (state string, err error) {
	if sealed == "" {
		return "", nil
	}
	state, _, _ = strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(s.close(state)), []byte(sealed)) {
		return "", newFault(codeInvalidParams, "this requestState was not given out here")
	}
	return state, nil
}

// capabilitiesOf are what the client declares with a request of the newer era. In the older one it says so in the handshake
// alone, of which nothing is kept.
func capabilitiesOf(ctx context.Context) mcp.ClientCapabilities {
	if i := sdk.RequestProtocolInfoFromContext(ctx); i != nil && i.Modern {
		return *i.ClientCapabilities
	}
	return mcp.ClientCapabilities{}
}

// formOf asks for one field.
func formOf(message, field, kind string) mcp.ElicitationParams {
	return form(message, map[string]any{field: map[string]any{"type": kind}}, field)
}

func form(message string, properties map[string]any, required ...string) mcp.ElicitationParams {
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return mcp.ElicitationParams{Message: message, RequestedSchema: schema}
}

func question(words string, maxTokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(words)}},
		MaxTokens: maxTokens,
	}
}

// elicited is what a person filled in under id; nil when there is no answer, or none of the right shape.
func elicited(answers mcp.InputResponses, id string) map[string]any {
	r := sdk.ElicitationResponse(answers, id)
	if r == nil || r.Action != mcp.ElicitationResponseActionAccept {
		return nil
	}
	fields, _ := r.Content.(map[string]any)
	return fields
}

// sampled is what a model said under id; "" when there is no answer.
func sampled(answers mcp.InputResponses, id string) string {
	r := sdk.SamplingResponse(answers, id)
	if r == nil {
		return ""
	}
	return sdkText(r.Content)
}

func sdkText(content any) string {
	raw, _ := json.Marshal(content)
	var block struct{ Text string }
	if json.Unmarshal(raw, &block) != nil {
		return ""
	}
	return block.Text
}

// round is one call of a tool that asks: what was answered so far.
type round struct {
	ctx     context.Context
	args    map[string]string
	answers mcp.InputResponses
	state   string
}

// asking is a tool that answers, or says what it has to ask first: the builder is nil when it has all.
func (f *fixture) asking(name, schema string, run func(round) (string, *sdk.InputRequestBuilder)) sdk.ServerTool {
	return tool(name, schema, func(ctx context.Context, args json.RawMessage, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		state, err := f.seal.open(req.Params.RequestState)
		if err != nil {
			return nil, err
		}
		r := round{ctx: ctx, answers: req.Params.InputResponses, state: state}
		if len(args) > 0 {
			if err := json.Unmarshal(args, &r.args); err != nil {
				return nil, newFault(codeInvalidParams, "the arguments are texts")
			}
		}
		words, ask := run(r)
		if ask != nil {
			return ask.ToolResult(), nil
		}
		return said(words), nil
	})
}

func (f *fixture) ask(state string) *sdk.InputRequestBuilder {
	if state != "" {
		state = f.seal.close(state)
	}
	return sdk.NewInputRequestBuilder(state)
}

// askingTools ask the client: those whose name says input_required in the newer era, the others in the older one. One
// handler serves both.
func (f *fixture) askingTools() []sdk.ServerTool {
	return []sdk.ServerTool{
		f.asking("test_input_required_result_elicitation", nothing, func(r round) (string, *sdk.InputRequestBuilder) {
			if name, ok := elicited(r.answers, "user_name")["name"]; ok {
				return fmt.Sprintf("Hello, %v!", name), nil
			}
			return "", f.ask("").Elicit("user_name", formOf("What is your name?", "name", "string"))
		}),
		f.asking("test_streaming_elicitation", nothing, func(r round) (string, *sdk.InputRequestBuilder) {
			if elicited(r.answers, "confirm") != nil {
				return "ok", nil
			}
			return "", f.ask("").Elicit("confirm", formOf("Please confirm", "ok", "boolean"))
		}),
		f.asking("test_input_required_result_sampling", nothing, func(r round) (string, *sdk.InputRequestBuilder) {
			if said := sampled(r.answers, "capital_question"); said != "" {
				return said, nil
			}
			return "", f.ask("").Sample("capital_question", question("What is the capital of France?", 100))
		}),
		f.asking("test_input_required_result_list_roots", nothing, func(r round) (string, *sdk.InputRequestBuilder) {
			if roots := sdk.RootsResponse(r.answers, "client_roots"); roots != nil {
				return fmt.Sprintf("%d roots: %v", len(roots.Roots), roots.Roots), nil
			}
			return "", f.ask("").Roots("client_roots")
		}),
		f.asking("test_input_required_result_request_state", nothing, f.confirm),
		f.asking("test_input_required_result_tampered_state", nothing, f.confirm),
		f.asking("test_input_required_result_multiple_inputs", nothing, func(r round) (string, *sdk.InputRequestBuilder) {
			name, greeting, roots := elicited(r.answers, "user_name"), sampled(r.answers, "greeting"), sdk.RootsResponse(r.answers, "client_roots")
			if r.state == "asked" && name != nil && greeting != "" && roots != nil {
				return fmt.Sprintf("%s %v has %d roots", greeting, name["name"], len(roots.Roots)), nil
			}
			return "", f.ask("asked").
				Elicit("user_name", formOf("What is your name?", "name", "string")).
				Sample("greeting", question("Generate a greeting", 50)).
				Roots("client_roots")
		}),
		f.asking("test_input_required_result_multi_round", nothing, func(r round) (string, *sdk.InputRequestBuilder) {
			name, asked := strings.CutPrefix(r.state, "named ")
			if color, ok := elicited(r.answers, "step2")["color"]; ok && asked {
				return fmt.Sprintf("%s likes %v", name, color), nil
			}
			if given, ok := elicited(r.answers, "step1")["name"]; ok && r.state == "asked" {
				return "", f.ask(fmt.Sprintf("named %v", given)).Elicit("step2", formOf("Step 2: What is your favorite color?", "color", "string"))
			}
			return "", f.ask("asked").Elicit("step1", formOf("Step 1: What is your name?", "name", "string"))
		}),
		f.asking("test_input_required_result_capabilities", nothing, func(r round) (string, *sdk.InputRequestBuilder) {
			if len(r.answers) > 0 {
				return "ok", nil
			}
			can, ask := capabilitiesOf(r.ctx), f.ask("")
			if can.Sampling != nil {
				ask.Sample("greeting", question("Generate a greeting", 50))
			}
			if can.Elicitation != nil {
				ask.Elicit("user_name", formOf("What is your name?", "name", "string"))
			}
			return "", ask
		}),
		f.asking("test_sampling", oneString("prompt"), func(r round) (string, *sdk.InputRequestBuilder) {
			if said := sampled(r.answers, "answer"); said != "" {
				return "LLM response: " + said, nil
			}
			return "", f.ask("").Sample("answer", question(r.args["prompt"], 100))
		}),
		f.filling("test_elicitation", oneString("message"), map[string]any{
			"username": map[string]any{"type": "string", "description": "User's response"},
			"email":    map[string]any{"type": "string", "description": "User's email address"},
		}, "username", "email"),
		f.filling("test_elicitation_sep1034_defaults", nothing, map[string]any{
			"name":     map[string]any{"type": "string", "default": "John Doe"},
			"age":      map[string]any{"type": "integer", "default": 30},
			"score":    map[string]any{"type": "number", "default": 95.5},
			"status":   map[string]any{"type": "string", "enum": []string{"active", "inactive", "pending"}, "default": "active"},
			"verified": map[string]any{"type": "boolean", "default": true},
		}),
		f.filling("test_elicitation_sep1330_enums", nothing, map[string]any{
			"untitledSingle": map[string]any{"type": "string", "enum": options},
			"titledSingle":   map[string]any{"type": "string", "oneOf": titled},
			"legacyEnum":     map[string]any{"type": "string", "enum": options, "enumNames": []string{"Option One", "Option Two", "Option Three"}},
			"untitledMulti":  map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": options}},
			"titledMulti":    map[string]any{"type": "array", "items": map[string]any{"anyOf": titled}},
		}),
	}
}

var (
	options = []string{"option1", "option2", "option3"}
	titled  = []map[string]any{{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}}
)

// filling is a tool that has a person fill in a form and says what came of it.
func (f *fixture) filling(name, schema string, properties map[string]any, required ...string) sdk.ServerTool {
	return f.asking(name, schema, func(r round) (string, *sdk.InputRequestBuilder) {
		if a := sdk.ElicitationResponse(r.answers, "form"); a != nil {
			return fmt.Sprintf("Elicitation completed: action=%s, content=%v", a.Action, a.Content), nil
		}
		message := r.args["message"]
		if message == "" {
			message = "Please fill in"
		}
		return "", f.ask("").Elicit("form", form(message, properties, required...))
	})
}

// confirm goes on only with the state that it gave out.
func (f *fixture) confirm(r round) (string, *sdk.InputRequestBuilder) {
	if elicited(r.answers, "confirm") != nil && r.state == "asked" {
		return "state-ok", nil
	}
	return "", f.ask("asked").Elicit("confirm", formOf("Please confirm", "ok", "boolean"))
}
