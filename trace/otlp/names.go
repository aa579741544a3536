package otlp

// The names of spans and attributes, in one place since those that are not our own still change: they are those of the semantic conventions for
// generative AI and for MCP as of version 1.41.0, whose status is Development.
const (
	spanRun    = "execute_tool" // execute_tool NAME: a run of a method
	spanChat   = "chat"         // chat MODEL: a question to a model
	spanDecide = "decide"       // decide DECISION: an opening or an answer that no MCP client asked for; our own
	// What an MCP client asked for has the name of its request: tools/call NAME, prompts/get NAME.

	attrOperation    = "gen_ai.operation.name"
	attrTool         = "gen_ai.tool.name"
	attrPrompt       = "gen_ai.prompt.name"
	attrModel        = "gen_ai.request.model"
	attrTokensIn     = "gen_ai.usage.input_tokens"
	attrTokensOut    = "gen_ai.usage.output_tokens"
	attrMCPMethod    = "mcp.method.name"
	attrMCPVersion   = "mcp.protocol.version"
	attrErrorType    = "error.type"
	attrServiceName  = "service.name"
	attrServiceBuild = "service.version"

	attrRecord    = "mcp_decide.record"     // the id that trace show takes
	attrPath      = "mcp_decide.path"       // native or menu
	attrState     = "mcp_decide.state"      // of the record
	attrDecision  = "mcp_decide.decision"   //
	attrTurn      = "mcp_decide.turn"       // with the round
	attrOption    = "mcp_decide.option"     // that was picked
	attrStrategy  = "mcp_decide.strategy"   // how the pick was found
	attrAttempt   = "mcp_decide.attempt"    // which try of its round it was
	attrRefused   = "mcp_decide.refused"    // why an answer that counted was refused
	attrRepaired  = "mcp_decide.repaired"   // the pick was not read as it was written
	attrOnFailure = "mcp_decide.on_failure" // the option of on_failure was taken
	attrCall      = "mcp_decide.call"       // the id of the call of a write

	toolError = "tool_error" // the error.type of a tool that says of itself that it failed

	scopeName = "github.com/mcp-decide/mcp-decide"
)

// The kinds of spans and the one status that is told, as numbers of the protocol.
const (
	kindInternal = 1
	kindServer   = 2
	kindClient   = 3

	statusError = 2
)
