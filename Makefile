# Everything here is also possible with the go command alone; `make help` lists it.
GO       ?= go
FUZZTIME ?= 20s
BENCH    ?= .
COUNT    ?= 1

.DEFAULT_GOAL := help
.PHONY: help build extension extension-library release snapshot test campaign race lint cover bench bench-check fuzz golden proto docs ci

# packages whose tests have the -update flag
GOLDEN = $(shell grep -rlE 'flag.Bool."update"|sqltest.Golden' --include='*_test.go' . | xargs -r -n1 dirname | sort -u)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' Makefile

# packages with benchmarks: kernel, iteration, fit, reading and writing, start-up
BENCHED = $(shell grep -rl '^func Benchmark' --include='*_test.go' . | xargs -r -n1 dirname | sort -u)

# Where programs go, and what else the go command and its linker are told: of a release
# (release/build.go) other things than here.
BIN     ?= bin
BUILD   ?=
LDFLAGS ?=

build: ## build the command into bin/
	$(GO) build $(BUILD) -ldflags "$(LDFLAGS)" -o $(BIN)/ ./cmd/sqlcluster

# What DuckDB calls the machine: PRAGMA platform.
PLATFORM ?= $(subst darwin,osx,$(shell $(GO) env GOOS))_$(shell $(GO) env GOARCH)
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# Only the function that DuckDB calls can be seen from outside.
EXPORT   ?= $(if $(filter darwin,$(shell $(GO) env GOOS)),-Wl$(comma)-exported_symbol$(comma)_sqlcluster_init_c_api,-Wl$(comma)--version-script=$(CURDIR)/sql/extension/export.map)
comma    := ,

extension: extension-library ## build the extension of DuckDB into bin/
	GOOS= GOARCH= CGO_ENABLED=0 $(GO) run ./sql/extension/footer -library $(LIBRARY) -platform $(PLATFORM) -version $(VERSION) \
	  -o $(BIN)/sqlcluster.duckdb_extension

# Asynchronous preemption is off: see sql/extension/init.c.
LIBRARY ?= $(BIN)/sqlcluster.so
extension-library:
	$(GO) build -tags duckdb_extension,duckdb_use_static_lib -buildmode=c-shared -trimpath $(BUILD) \
	  -ldflags "$(LDFLAGS) -X runtime.godebugDefault=asyncpreemptoff=1 -extldflags '$(EXPORT)'" -o $(LIBRARY) ./sql/extension

release: ## make the archives of the tagged version in dist/, see docs/release.md
	$(GO) run ./release

snapshot: ## make archives of what is here in dist/, whatever its version
	$(GO) run ./release -snapshot

test: ## run all tests
	$(GO) test ./...

campaign: ## run the tests with all their cases, which takes ten minutes or more
	$(GO) test -tags campaign -timeout 60m ./...

race: ## run the tests of the concurrent packages under the race detector
	$(GO) test -race ./framework/fit/... ./framework/plugin/... ./framework/matrix/... ./framework/seeding/...

lint: ## run golangci-lint (built on first use), which also checks the import rules
	.ci/lint

cover: ## measure coverage into cover.out and cover.html
	$(GO) test -coverprofile=cover.out -coverpkg=./... ./...
	$(GO) tool cover -html=cover.out -o cover.html
	@$(GO) tool cover -func=cover.out | tail -n 1

bench: ## run the benchmarks; BENCH=regexp chooses, COUNT=10 is for benchstat
	@$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -timeout 2h -p 1 $(BENCHED)

bench-check: ## compare ratios of benchmarks, such as one kernel against another, with those that are stored
	@$(GO) run ./bench/check

fuzz: ## run every fuzz target for FUZZTIME (20s)
	@grep -rHoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' . | while IFS=: read -r file func; do \
	  echo "== $$file $${func#func }"; \
	  $(GO) test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; \
	done

golden: ## rewrite the golden files of all tests, and the output shown in the documents
	@for p in $(GOLDEN); do $(GO) test "$$p" -update || exit 1; done

proto: ## regenerate the wire types of framework/plugin/protocol/protocol.proto
	$(GO) generate ./framework/plugin/...

docs: ## run the commands shown in the documents and rewrite their output
	$(GO) test ./cmd/sqlcluster/internal/doctest -update

ci: ## run what continuous integration runs
	.ci/run
