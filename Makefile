# draughtlab: build, run and check. `make help` lists the targets.
#
# `make run` needs Go, git and make. `make test` needs a C compiler (for the
# race detector) and Python 3.11 or newer with its venv module besides.

GO       ?= go
PYTHON   ?= python3
RUN      ?= runs/quick
FUZZTIME ?= 30s
COUNT    ?= 6
BENCH    ?= .

ROOMS   = cmd engine export selfplay tune
PARTS   = ./cmd/... ./engine/... ./export/... ./selfplay/... ./tune/...
# The packages with goroutines of their own, for the race detector.
RACE    = ./selfplay/... ./export/dataset/... ./export/refine/... ./tune/...
TOOLS   = .cache/tools
VENV    = .venv
NB_PY   = $(VENV)/bin/python

# The commit goes into `draughtlab version`. It is taken from git where git
# answers for this very directory, and left empty elsewhere (a tarball), so
# that a build never fails for want of it.
COMMIT  := $(shell test -e .git && git describe --always --dirty --exclude='*' --abbrev=12 2>/dev/null)
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS 2>/dev/null) -buildvcs=false)

.PHONY: help run build test check tools fmt lint test-go test-race test-bench \
	test-notebooks slurm notebooks venv deep faults fuzz bench peer peer-needs outside \
	outside-needs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-15s %s\n", $$1, $$2}' Makefile

run: build ## build, then play, tune and report: runs/quick, a few minutes
	bin/draughtlab study --preset quick --out $(RUN)

build: ## build bin/draughtlab
	@command -v $(GO) >/dev/null || { echo "make: $(GO) not found: install Go (go.mod names the version)" >&2; exit 1; }
	@echo "== building bin/draughtlab"
	@$(GO) build -ldflags "-X main.commit=$(COMMIT)" -o bin/draughtlab ./cmd/draughtlab

test: check test-go test-race test-bench test-notebooks ## every check there is, notebooks included
	@echo "make test: everything passed"

check: lint ## the quick checks: format, go vet, staticcheck

fmt: tools ## format the Go files
	$(TOOLS)/gofumpt -w $(ROOMS)

lint: tools
	@echo "== format"
	@bad=$$($(TOOLS)/gofumpt -l $(ROOMS)); test -z "$$bad" || { echo "make: not formatted, run 'make fmt':" $$bad >&2; exit 1; }
	@echo "== go vet"
	@$(GO) vet $(PARTS)
	@echo "== staticcheck"
	@$(TOOLS)/staticcheck $(PARTS)

# The Go command caches, so this costs a second once the tools are built.
tools:
	@mkdir -p $(TOOLS)
	@$(GO) build -C tools -o $(CURDIR)/$(TOOLS)/ tool

test-go: ## the Go tests
	@echo "== go test"
	@$(GO) test -timeout 20m $(PARTS)

test-race: ## the tests of the concurrent packages under the race detector
	@echo "== go test -race -short"
	@CGO_ENABLED=1 $(GO) test -race -short -timeout 20m $(RACE)

test-bench: ## every benchmark once, to see that it still runs
	@echo "== every benchmark once"
	@$(GO) test -run '^$$' -bench . -benchtime 1x -short -timeout 10m \
		$$(find $(ROOMS) -name '*_test.go' -exec grep -l '^func Benchmark' {} + | sed 's|/[^/]*$$||; s|^|./|' | sort -u)

slurm: ## only the tests against a real Slurm (Debian: slurm-wlm), two minutes
	DRAUGHTLAB_CI=1 $(GO) test -count=1 -v -timeout 20m -run '^TestSlurm$$' ./selfplay/submit

test-notebooks: build venv ## the notebooks and the Python readers, on a small dataset
	@echo "== notebooks"
	@$(NB_PY) -m pytest -q notebooks/tests

notebooks: venv ## run both notebooks on RUN, into runs/notebooks
	@$(NB_PY) notebooks/execute.py --run $(RUN) --out runs/notebooks

venv: ## the Python environment of notebooks and tests, into .venv; minutes
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found: the notebooks need Python 3.11 or newer" >&2; exit 1; }
	@$(PYTHON) notebooks/make_venv.py $(VENV) notebooks/requirements.txt

deep: ## deep perft and other long tests of the rules
	DRAUGHTLAB_DEEP=1 $(GO) test -v -timeout 12h ./engine/...

faults: ## kill self-play KILLS (1000) times, and break it in other ways
	DRAUGHTLAB_CI=1 DRAUGHTLAB_KILLS=$(or $(KILLS),1000) $(GO) test -v -count 1 -timeout 3h -run 'Selfplay|Bucket' ./cmd/draughtlab
	DRAUGHTLAB_CI=1 $(GO) test -v -count 1 -run 'DiskFull|Damaged|Resume' ./selfplay

fuzz: ## each fuzz target for FUZZTIME (30s)
	@find $(ROOMS) -name '*_test.go' -exec grep -H '^func Fuzz' {} + | \
	sed 's|^\(.*\)/[^/]*:func \(Fuzz[A-Za-z0-9_]*\).*|\1 \2|' | sort | \
	while read -r dir target; do \
		echo "== $$dir $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "./$$dir" || exit 1; \
	done

bench: tools ## benchmarks COUNT (6) times; BASE=FILE compares
	@$(GO) test -run '^$$' -bench '$(BENCH)' -count $(COUNT) -timeout 2h $(PARTS) >.cache/bench.txt || { cat .cache/bench.txt >&2; exit 1; }
	@$(TOOLS)/benchstat $(if $(BASE),$(BASE)) .cache/bench.txt

peer: peer-needs build ## our generator against one in C++, in turns; ROUNDS, CXX
	@mkdir -p .cache/peer
	@echo "== $$($(CXX) --version | head -n 1), -O3 -march=native"
	@$(CXX) -std=c++20 -O3 -march=native -Wall -o .cache/peer/perft tools/peer/perft.cpp
	@$(PYTHON) tools/peer/compare.py --ours bin/draughtlab --peer .cache/peer/perft --rounds $(or $(ROUNDS),3)

# Asked before anything is compiled.
peer-needs:
	@case '$(or $(ROUNDS),3)' in *[!0-9]*|0*) echo "make: ROUNDS=$(ROUNDS): give a whole number from 1" >&2; exit 1;; esac
	@command -v "$(firstword $(CXX))" >/dev/null || { echo "make: no C++ compiler: '$(firstword $(CXX))' not found: install g++ or clang++, or set CXX" >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found: the comparison needs Python 3.11 or newer" >&2; exit 1; }

outside: outside-needs build venv ## games against py-draughts, an hour; GAMES, DEPTH
	@$(NB_PY) notebooks/outside_opponents.py --games $(or $(GAMES),100) --depth $(or $(DEPTH),6)

outside-needs:
	@case '$(or $(GAMES),100)' in *[!0-9]*|0*|*[13579]) echo "make: GAMES=$(GAMES): give an even number from 2" >&2; exit 1;; esac
	@case '$(or $(DEPTH),6)' in *[!0-9]*|0*) echo "make: DEPTH=$(DEPTH): give a whole number from 1" >&2; exit 1;; esac
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found: py-draughts needs Python 3.11 or newer" >&2; exit 1; }
	@test -x $(NB_PY) || echo "== py-draughts needs $(VENV), which is not there yet and is made now" >&2

clean: ## remove what make built, but no run directory
	rm -rf bin .cache $(VENV)
