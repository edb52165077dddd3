# Assay: every command a developer needs. `make help` lists them.

GO      ?= go
DATA    ?= ./assay-data
ADDR    ?= 127.0.0.1:8080
FUZZ    ?= 10s
LINTER  := bin/golangci-lint
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X assay/internal/app.version=$(VERSION)

.PHONY: help demo test build check lint race fuzz golden pictures bench peers clients oauth pages conformance clean toolchain

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: toolchain ## Make a demo store and serve it
	$(GO) run ./cmd/assay demo --addr $(ADDR) --data $(DATA)

test: toolchain ## Run all tests that need neither a network nor a server
	$(GO) test ./...

build: toolchain ## Build bin/assay
	$(GO) build -ldflags "$(LDFLAGS)" -o bin/assay ./cmd/assay

check: lint test ## What a change must pass: format, vet, lint, tests

lint: $(LINTER) ## Check format and run the linters
	$(LINTER) run --allow-parallel-runners ./...

race: ## Run the tests of the concurrent packages with the race detector
	ASSAY_TEST_THOROUGH=1 $(GO) test -race ./internal/auth/... ./internal/control/... ./internal/mcp/... ./internal/httpapi/... ./internal/oauth/... ./internal/console/... ./internal/tools/... ./internal/warehouse/... ./test/attack ./cmd/...

fuzz: ## Run every fuzz target for FUZZ (default 10s); `make fuzz FUZZ=5m` is the nightly run
	./test/fuzz.sh $(FUZZ)

golden: ## Rewrite golden files; read the difference like code before keeping it
	$(GO) test ./internal/mcp ./internal/httpapi ./internal/tools ./internal/warehouse ./internal/ingest ./internal/chart -update

pictures: ## Draw the pictures of the method documents again; look at them before keeping them
	$(GO) run ./docs/pictures

bench: build ## Benchmark beside the named peers; the results go to docs/benchmarks.md
	./bench/run.sh

peers: build ## Measure methods beside PyMC-Marketing, statsforecast and others; QUICK=1 is shorter
	./bench/peers/run.sh

clients: build ## Drive the service with the official SDK clients and the Inspector
	./test/clients/run.sh

oauth: build ## Connect official OAuth clients, with consent in a real browser
	./test/clients/oauth.sh

pages: build ## Take a picture of every page into PICTURES and let axe-core read it
	./test/clients/pages.sh

conformance: build ## Run both versions of the official conformance suite
	./test/conformance/run.sh

clean: ## Remove what was built
	rm -rf bin

$(LINTER): tools/go.mod tools/go.sum
	cd tools && $(GO) build -o ../$(LINTER) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# The database engine is linked in, so a C++ compiler is needed. Say which package brings what is missing.
toolchain:
	@command -v $(GO) >/dev/null || { echo "Go 1.26 or later is missing. Debian: apt-get install golang-go (or https://go.dev/dl), Fedora: dnf install golang, macOS: brew install go" >&2; exit 1; }
	@command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || { echo "A C compiler is missing. Debian: apt-get install gcc libc6-dev libstdc++-12-dev, Fedora: dnf install gcc gcc-c++, macOS: xcode-select --install" >&2; exit 1; }
	@printf 'int main(){}' | $${CC:-cc} -x c - -lstdc++ -o /dev/null 2>/dev/null || { echo "The C++ standard library is missing. Debian: apt-get install libstdc++-12-dev, Fedora: dnf install gcc-c++ libstdc++-devel, macOS: xcode-select --install" >&2; exit 1; }
