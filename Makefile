# What developers run. CI runs .ci/run, which is the same, the real clients and the conformance suite.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
BINARY      = mcp-decide
FUZZTIME   ?= 5s
BENCHTIME  ?= 250ms
LOAD       ?= call/HTTP/2026-07-28/64
PROFILES   ?= /tmp/mcp-decide-profiles
SOAK       ?= 1h

.DEFAULT_GOAL := help
.PHONY: help build check test race fuzz bench clients replicas conformance ci

help: ## say what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## build the command as releases do, into ./mcp-decide
	CGO_ENABLED=0 go build -trimpath -o $(BINARY) ./cmd/mcp-decide

check: ## formatting, vet for three systems, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w .):"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...
	go run $(STATICCHECK) ./...

test: ## run the tests
	go test ./...

race: ## run the tests with the race detector
	go test -race ./...

fuzz: ## run each fuzz target for $(FUZZTIME)
	.ci/fuzz $(FUZZTIME)

bench: ## what a call costs here and on the bare SDK, and whether that is within the budgets; about five minutes
	go run ./internal/bench -time $(BENCHTIME)

bench-page: ## the same, and write docs/benchmarks.md
	go run ./internal/bench -time $(BENCHTIME) -write

bench-micro: ## the benchmarks of single functions
	go test -run '^$$' -bench . -benchmem ./...

profile: ## CPU and allocation profiles under $(LOAD), into $(PROFILES)
	go run ./internal/bench -profile $(PROFILES) -load $(LOAD)

soak: ## an hour of mixed load over HTTP, or SOAK=10m; fails when anything grows
	go run ./internal/bench -soak $(SOAK)

clients: build ## the TypeScript client and the Inspector against the built command (needs Node)
	.ci/clients/run $(CURDIR)/$(BINARY)

replicas: build ## the README's servers behind nginx, over SQLite and PostgreSQL (needs Node; installs nginx and PostgreSQL)
	.ci/replicas/run $(CURDIR)/$(BINARY)

conformance: ## the protocol's conformance suite against our server (needs Node)
	.ci/conformance/run

ci: ## all that CI runs
	.ci/run
