package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server/guard"
)

// fixtureEnv says where TestFixtureServer listens: 127.0.0.1:0 takes a free port.
const fixtureEnv = "MCP_DECIDE_FIXTURE"

// TestFixtureServer serves what the protocol's conformance suite asks for, until its standard input ends. It is run by
// .ci/conformance/run and skipped otherwise. Being a test, it puts nothing into the product, and ends with the check that no
// goroutine is left.
func TestFixtureServer(t *testing.T) {
	address := os.Getenv(fixtureEnv)
	if address == "" {
		t.Skip(fixtureEnv + " is not set")
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	front, err := guard.New(guard.Options{Unauthenticated: true})
	if err != nil {
		t.Fatal(err)
	}
	front.Handle("/mcp", f.Handler())
	web, err := guard.NewServer(front, guard.ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, listener) }()
	fmt.Printf("listening on http://%s/mcp\n", listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	f.Drain(ctx)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// fixture is a server with the tools, prompts and resources that the suite knows by name. Whatever a method or a decision can
// be, is one, and passes the whole product; the rest is put into the SDK beside them, to use what the product does not: input requests,
// log messages, subscriptions to resources.
type fixture struct {
	*Server
	methods  *registry.Registry
	seal     seal
	changing sync.Mutex
	changes  int
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	methods := registry.New()
	for _, m := range fixtureMethods() {
		if err := methods.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	eng := decide.New(methods, decide.Options{Config: "fixture"})
	for _, d := range fixtureDecisions() {
		if err := eng.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	f := &fixture{Server: serverOf(t, eng, Options{Name: "fixture", Version: "1"}), methods: methods, seal: newSeal()}
	sdk.WithLogging()(f.sdk)
	sdk.WithResourceCapabilities(true, true)(f.sdk)
	f.sdk.AddResourceTemplates(f.templates()...)
	f.furnish()
	return f
}

// furnish puts what no method and no decision can be beside what the product lists.
func (f *fixture) furnish() {
	f.sdk.AddTools(f.tools()...)
	f.sdk.AddPrompts(f.prompts()...)
	f.sdk.AddResources(f.resources()...)
}

// The product sends no log messages. A session of the fixture takes all of them.

func (s *session) SetLogLevel(mcp.LoggingLevel)  {}
func (s *session) GetLogLevel() mcp.LoggingLevel { return mcp.LoggingLevelDebug }

// fixtureMethods give each kind of content, and an error.
func fixtureMethods() []registry.Method {
	gives := func(name string, blocks ...registry.Block) registry.Method {
		return registry.Method{
			Name: name, Summary: "Give " + registry.TitleOf(name) + ".", Effect: registry.Read,
			Run: func(context.Context, registry.Args) (any, error) { return blocks, nil },
		}
	}
	return []registry.Method{
		gives("test_simple_text", registry.Text("This is a simple text response for testing.")),
		gives("test_image_content", registry.Image(pixel, "image/png")),
		gives("test_audio_content", registry.Audio(silence, "audio/wav")),
		gives("test_embedded_resource", registry.Resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
		gives("test_multiple_content_types",
			registry.Text("Multiple content types test:"),
			registry.Image(pixel, "image/png"),
			registry.Resource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		{
			Name: "test_error_handling", Summary: "Fail.", Effect: registry.Read,
			Run: func(context.Context, registry.Args) (any, error) {
				return nil, errors.New("This tool intentionally returns an error for testing")
			},
		},
	}
}

// fixtureDecisions are the two prompts that a decision can be.
func fixtureDecisions() []decide.Decision {
	done := []decide.Option{decide.Value("done", "done")}
	arg := func(name string) registry.Param {
		return registry.Param{Name: name, Type: registry.String, Description: "Put into the prompt."}
	}
	return []decide.Decision{
		{Name: "test_simple_prompt", Summary: "A prompt without arguments.", Prompt: "This is a simple prompt for testing.", Options: done},
		{
			Name: "test_prompt_with_arguments", Summary: "A prompt with two arguments.", Options: done,
			Params: []registry.Param{arg("arg1"), arg("arg2")},
			Prompt: "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'",
		},
	}
}

func (f *fixture) prompts() []sdk.ServerPrompt {
	message := func(c mcp.Content) mcp.PromptMessage { return mcp.PromptMessage{Role: mcp.RoleUser, Content: c} }
	return []sdk.ServerPrompt{
		{
			Prompt: mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("A prompt that holds a resource."),
				mcp.WithArgument("resourceUri", mcp.RequiredArgument(), mcp.ArgumentDescription("Of the resource."))),
			Handler: func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{
					message(contentBlock(registry.Resource(req.Params.Arguments["resourceUri"], "text/plain", "Embedded resource content for testing."))),
					message(text("Please process the embedded resource above.")),
				}}, nil
			},
		},
		{
			Prompt: mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("A prompt that holds an image.")),
			Handler: func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{
					message(contentBlock(registry.Image(pixel, "image/png"))),
					message(text("Please analyze the image above.")),
				}}, nil
			},
		},
		{
			Prompt: mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("A prompt that asks a person first.")),
			Handler: func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				said := elicited(req.Params.InputResponses, "user_context")
				if said == nil {
					return sdk.NewInputRequestBuilder("").Elicit("user_context", formOf("What context should the prompt use?", "context", "string")).PromptResult(), nil
				}
				return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{message(text(fmt.Sprint("Use this context: ", said["context"])))}}, nil
			},
		},
	}
}

func (f *fixture) resources() []sdk.ServerResource {
	resource := func(uri, mimeType string, contents mcp.ResourceContents) sdk.ServerResource {
		return sdk.ServerResource{
			Resource: mcp.NewResource(uri, uri, mcp.WithResourceDescription("A resource that never changes."), mcp.WithMIMEType(mimeType)),
			Handler: func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				return []mcp.ResourceContents{contents}, nil
			},
		}
	}
	plainText := func(uri, words string) mcp.ResourceContents {
		return mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: words}
	}
	return []sdk.ServerResource{
		resource("test://static-text", "text/plain", plainText("test://static-text", "This is the content of the static text resource.")),
		resource("test://static-binary", "image/png", mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: base64Of(pixel)}),
		resource("test://watched-resource", "text/plain", plainText("test://watched-resource", "Watch me.")),
	}
}

func (f *fixture) templates() []sdk.ServerResourceTemplate {
	return []sdk.ServerResourceTemplate{{
		Template: mcp.NewResourceTemplate("test://template/{id}/data", "template",
			mcp.WithTemplateDescription("A resource with an id."), mcp.WithTemplateMIMEType("application/json")),
		Handler: func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			var id string
			if _, err := fmt.Sscanf(req.Params.URI, "test://template/%3s/data", &id); err != nil {
				return nil, newFault(codeInvalidParams, "not an id of three characters")
			}
			words := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: words}}, nil
		},
	}}
}
