# Assay: every command a developer needs. `make help` lists them.

GO      ?= go
DATA    ?= ./assay-data
ADDR    ?= 127.0.0.1:8080
FUZZ    ?= 10s
SEED    ?= 1
MUTANTS ?= 300
LINTER  := bin/golangci-lint
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X assay/internal/app.version=$(VERSION)
# Most test binaries contain DuckDB. They are linked with the fastest installed linker and without debug information.
LINKER  := $(shell ./tools/linker.sh)
export GOFLAGS := $(GOFLAGS) '-ldflags=-s -w$(if $(LINKER), -extldflags=-fuse-ld=$(LINKER))'

.PHONY: help modules demo test build check lint race fuzz golden pictures screenshots mutants bench peers clients oauth pages view conformance failures structure clean toolchain

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A signal ends the demo. This is not an error.
demo: toolchain modules ## Create a demo store and serve it
	@./tools/build.sh "$(GO)" "$(LDFLAGS)"
	@trap : INT TERM; bin/assay demo --addr $(ADDR) --data $(DATA) || test $$? -ge 130

modules: toolchain ## Download the modules of the program and of its tests
	@echo "modules: downloading those that are missing (the first time: 235 MB, 740 MB unpacked)" >&2
	@$(GO) list -deps -test ./... >/dev/null

test: toolchain ## Run all tests; those with PostgreSQL, Redis or ClickHouse only where these are installed
	$(GO) test ./...

build: toolchain ## Build bin/assay
	$(GO) build -ldflags "$(LDFLAGS)" -o bin/assay ./cmd/assay

check: toolchain lint ## Run format check, linters and tests without servers and long series; every change must pass
	GOGC=400 $(GO) test -short -vet=off ./...

lint: $(LINTER) ## Check format and run the linters
	$(LINTER) run --allow-parallel-runners ./...

# The race detector multiplies memory and time. The memory bound of bodies and the figures of odd stores are tested
# without it.
race: ## Run the tests of the concurrent packages with the race detector
	ASSAY_TEST_THOROUGH=1 $(GO) test -race -timeout 30m -skip 'TestBodiesOfAnonymousCallersUseLittleMemory|TestOddStoresHaveAnswersInNumbers' ./internal/auth/... ./internal/control/... ./internal/mcp/... ./internal/httpapi/... ./internal/oauth/... ./internal/console/... ./internal/tools/... ./internal/toolkit/... ./internal/snapshot/... ./internal/operation/... ./internal/bodybudget/... ./internal/connlimit/... ./internal/warehouse/... ./test/attack ./cmd/...

fuzz: ## Run every fuzz target for FUZZ (default 10s); `make fuzz FUZZ=5m` is the nightly run
	./test/fuzz.sh $(FUZZ)

mutants: toolchain ## Make MUTANTS random changes (default 300, SEED 1) and count those that tests find
	nice -n 10 $(GO) run ./test/mutants -seed $(SEED) -n $(MUTANTS) -min 75 -state bin/mutants.jsonl

golden: ## Rewrite golden files; review the diff like code
	$(GO) test ./internal/mcp ./internal/httpapi ./internal/tools ./internal/warehouse ./internal/warehouse/merge ./internal/ingest \
		./internal/ingest/demo ./internal/ingest/shopify ./internal/ingest/adreport ./internal/ingest/connector ./internal/ingest/mapper ./internal/chart ./internal/ask ./internal/console/frame/plot \
		./internal/console/performance ./internal/console/measurement ./internal/console/setup ./internal/console/action ./internal/measure/detect -update

pictures: ## Draw the pictures of the method documents; look at them before you commit
	$(GO) run ./docs/pictures

screenshots: build ## Take the screenshots of README.md with headless Chromium
	./test/clients/screenshots.sh

bench: build ## Benchmark against the named peers; docs/benchmarks.md has the results
	./bench/run.sh

peers: build ## Compare methods with PyMC-Marketing, statsforecast and others; QUICK=1 is shorter
	./bench/peers/run.sh

clients: build ## Test the service with the official SDK clients and the Inspector
	./test/clients/run.sh

oauth: build ## Test official OAuth clients, with consent in a real browser
	./test/clients/oauth.sh

pages: build ## Check every page with axe-core and by keyboard, and save screenshots in PICTURES
	./test/clients/pages.sh

view: build ## Test the interactive view of charts in a browser; pictures are saved in PICTURES
	./test/clients/chart.sh

conformance: build ## Run both versions of the official conformance suite
	./test/conformance/run.sh

failures: toolchain ## Let nodes and servers fail under load; ASSAY_FAILURES_FOR=1h repeats it in random order; logs are in bin/failures
	mkdir -p bin/failures
	./test/cluster/up $(GO) test -count=1 -timeout 0 -artifacts -outputdir "$(CURDIR)/bin/failures" -v ./test/failures

structure: ## Print the sizes of packages and types and the references inside the tools
	$(GO) test -count=1 -v ./test/structure

clean: ## Remove build results
	rm -rf bin

$(LINTER): tools/go.mod tools/go.sum
	cd tools && $(GO) build -o ../$(LINTER) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# Print what to install if a tool is missing or too old.
toolchain:
	@GO="$(GO)" ./tools/toolchain.sh
