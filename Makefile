# Needs Go, make, git and bash. A C compiler makes `make test` use the race
# detector; `make test-long` requires one.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO ?= go
BIN := bin
# Go itself answers whether cgo, and so the race detector, can be had.
RACE := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
# Packages by what their tests are written with.
tested-with = $(shell grep -rl --include='*_test.go' --exclude-dir=e2e '"$(1)"' . | xargs -r -n1 dirname | sort -u)
# Tests run shuffled; the seed stands in the output of a package that failed.
TEST := $(GO) test -json -shuffle=on
COUNT := $(BIN)/exercised -config .ci/exercised

RAPID_CHECKS ?= 2000
FUZZTIME ?= 15s
BENCH ?= .

.PHONY: help
help: ## Show this help
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Start the demo: a scripted day in an in-memory cluster
	$(GO) run ./cmd/bindery demo

.PHONY: build
build: ## Build bin/bindery
	$(GO) build -o $(BIN)/bindery ./cmd/bindery

.PHONY: test
test: lint $(BIN)/exercised ## Format, lint, all tests, the short end-to-end tests
ifeq ($(RACE),)
	@echo '*** NO C COMPILER: THE RACE DETECTOR IS OFF ***' >&2
endif
	{ $(TEST) $(RACE) -timeout 15m ./... && cd e2e && $(TEST) -short -timeout 18m ./...; } | $(COUNT) -suite test

.PHONY: test-long
test-long: require-race $(BIN)/exercised ## Race detector, long properties, fuzzing, the long end-to-end tests
	{ $(TEST) -race -count=1 -timeout 30m $(call tested-with,pgregory.net/rapid) -rapid.checks=$(RAPID_CHECKS) && \
	  cd e2e && $(TEST) -timeout 45m ./...; } | $(COUNT) -suite test-long
	$(MAKE) --no-print-directory fuzz

.PHONY: require-race
require-race:
ifeq ($(RACE),)
	@echo 'error: the race detector needs a C compiler; install gcc' >&2; exit 1
endif

.PHONY: e2e
e2e: ## The end-to-end tests on a real API server, in full
	$(GO) test -C e2e -v -timeout 45m ./...

.PHONY: cluster
cluster: ## Start a real etcd and API server and print how to use them
	$(GO) run -C e2e ./cmd/cluster

.PHONY: bench
bench: ## Benchmarks (BENCH=regexp)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

.PHONY: fuzz
fuzz: ## Each fuzz target for FUZZTIME
	@grep -rn --include='*_test.go' --exclude-dir=e2e '^func Fuzz' . | \
	sed -E 's|^(.*)/[^/]*:[0-9]+:func (Fuzz[A-Za-z0-9_]*).*|\1 \2|' | sort -u | \
	while read -r pkg target; do \
		echo "fuzz $$pkg $$target for $(FUZZTIME)"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime '$(FUZZTIME)' "$$pkg"; \
	done

.PHONY: lint
lint: $(BIN)/staticcheck ## gofmt, go vet, staticcheck, and the tests of the build's own tools
	@unformatted="$$(git ls-files -z --cached --others --exclude-standard '*.go' | xargs -0 -r gofmt -l)"; \
	if [ -n "$$unformatted" ]; then echo "error: not formatted:"; echo "$$unformatted"; exit 1; fi >&2
	$(GO) vet ./...
	$(GO) vet -C e2e ./...
	$(BIN)/staticcheck ./...
	$(GO) test -C .ci/tools ./exercised

.PHONY: golden
golden: ## Rewrite the expected outputs; read the diff before you commit it
	$(GO) test ./cmd/bindery ./api -update
	$(GO) test $(call tested-with,github.com/cockroachdb/datadriven) -rewrite

# The build's own tools come from a module of their own.
.PHONY: $(BIN)/staticcheck $(BIN)/exercised
$(BIN)/staticcheck:
	@$(GO) build -C .ci/tools -o $(CURDIR)/$@ honnef.co/go/tools/cmd/staticcheck
$(BIN)/exercised:
	@$(GO) build -C .ci/tools -o $(CURDIR)/$@ ./exercised
