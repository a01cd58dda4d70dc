# Two commands matter: `make demo` and `make test`. Both set up what they need.

CARGO ?= cargo
TUSKER = target/release/tusker
VENV   = .venv
# Python compiles a module when it is first imported: most of these never are
PIP    = $(VENV)/bin/pip install --quiet --disable-pip-version-check --no-compile
PREFIX ?= /usr/local
INTO   = $(DESTDIR)$(PREFIX)
ANEW = --force
PAPERS = $(notdir $(wildcard papers/*))
NS3_REFERENCE = target/ns3-reference
NS3_LIBS = $(addprefix -lns3-,core network internet point-to-point applications traffic-control)
.PHONY: demo test build install book book-check page kernel kernel-6.1 bench-kernel dist dist-program format lint unit python python-module python-then-ray ray browser browser-timed reproduction reproduction-quick report-picture findings-pictures bench oracle oracle-linux oracle-sockets oracle-ns3 compare compare-linux compare-sockets validate fuzz audit advisories schema docs picture set-up setup-build setup-kernel setup-wireshark setup-rsync setup-qemu setup-python setup-ns2 setup-ns2-laws check-ns2-laws setup-ns3 setup-ns3-wheel setup-valgrind setup-browser clean

# all but what simulates, unoptimised: the first table comes in half the time
SOON = --config 'profile.release.opt-level=0' \
  $(foreach crate,tusker tusker-field tusker-lab tusker-measure tusker-papers tusker-report tusker-scenario tusker-store tusker-transfer,\
  --config 'profile.release.package.$(crate).opt-level=0')

## The main job: the paper's central comparison, simulated and printed. Where
## nothing is built yet, without PNG, Parquet and the testbed: `make build`.
demo: setup-build
	@if test -x $(TUSKER); then $(MAKE) --no-print-directory build; else \
	  $(CARGO) build --release --locked --package tusker --no-default-features $(SOON); fi
	@$(TUSKER) demo

## Everything that CI checks. Packages for Python and pages are fetched, and the live page is
## built, while the lints compile.
## What comes last has nothing to compile and waits much, for nodes of a cluster and for pages:
## two of these at a time.
test: setup-kernel
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint set-up
	$(MAKE) --no-print-directory unit
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target python-then-ray book-check browser

# one after the other: two installations of system packages would be in each other's way
set-up:
	@$(MAKE) --no-print-directory --jobs=1 setup-wireshark setup-rsync setup-python $(VENV)/ray setup-browser page

# both keep what mypy and pytest found in one folder, so one after the other
python-then-ray: python
	@$(MAKE) --no-print-directory ray

build: setup-build
	$(CARGO) build --release --locked --package tusker

## What people install without a compiler, in target/dist-files: a tar, a Debian package and
## a wheel, compiled across crates, which takes minutes. `scripts/try-dist.sh` tries them.
dist: dist-program $(VENV)/dist
	@command -v strip objdump dpkg-deb >/dev/null || scripts/want.sh "make dist" binutils dpkg
	scripts/dist.sh

dist-program: setup-build page
	TUSKER_PAGE=$(CURDIR)/target/page $(CARGO) build --profile dist --locked --package tusker

$(VENV)/dist: $(VENV)/ready scripts/requirements.txt
	$(PIP) -r scripts/requirements.txt
	@touch $@

## The program, `tusker kernel` if it was built, manual pages and completions:
## make install PREFIX=~/.local, or sudo make install after make build.
install: build
	install -d $(INTO)/bin $(INTO)/share/man/man1 $(INTO)/share/bash-completion/completions
	install -m 755 $(TUSKER) $(INTO)/bin
	if test -x $(TUSKER)-kernel; then install -m 755 $(TUSKER)-kernel $(INTO)/bin; fi
	$(TUSKER) man --out $(INTO)/share/man/man1
	$(TUSKER) completions bash > $(INTO)/share/bash-completion/completions/tusker

## `tusker kernel`: laws for the running Linux kernel.
kernel: setup-kernel
	$(CARGO) build --release --locked --package tusker-kernel

## Formats the code: the modules of laws and policies are named by a macro, which
## `cargo fmt` does not look into.
LISTED = $(wildcard crates/tusker-core/src/*/*.rs crates/tusker-core/src/*/*/mod.rs)
format:
	$(CARGO) fmt --all
	rustfmt --edition 2024 $(LISTED)

lint: setup-kernel
	$(CARGO) fmt --all --check
	rustfmt --edition 2024 --check $(LISTED)
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) build --manifest-path crates/tusker-core/bare/Cargo.toml --target-dir target/bare --locked
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items --locked

## What a law in the kernel takes for an ACK, beside the kernel's own. Needs root.
bench-kernel: kernel
	python3 bench/kernel_cost.py

## The laws on Linux 6.1, started in QEMU.
kernel-6.1: kernel setup-qemu
	bpf/tests/old-kernel.sh

unit: setup-kernel setup-wireshark setup-rsync setup-python page
	$(CARGO) test --workspace --locked

## The scripts, and the Python package: linted, type-checked, built, tested.
python: setup-python python-module
	$(VENV)/bin/ruff check bench book python
	$(VENV)/bin/ruff format --check bench book python
	$(VENV)/bin/mypy bench
	cd book && ../$(VENV)/bin/mypy .
	python3 bench/findings.py --check
	cd python && ../$(VENV)/bin/mypy tusker tests cost.py
	cd python && PYTHONPATH=. ../$(VENV)/bin/python -m pytest

## What `pip install ./python` builds, out of what `make unit` has compiled: no crate is
## compiled twice. The second test has the program built, which the first one's crate
## is compared with.
python-module: setup-kernel
	$(CARGO) test --workspace --locked --no-run --test package --test licences
	cp target/debug/deps/libtusker_python.so python/tusker/_tusker.abi3.so

## Sweeps on a Ray cluster of two nodes, one of which is killed, and in S3 (moto's server).
ray: $(VENV)/ray python-module
	cd python && ../$(VENV)/bin/mypy cluster
	cd python && PYTHONPATH=. ../$(VENV)/bin/python -m pytest cluster

## The report and the live page in headless Chromium: curves, zoom, phone, print, axe, stories.
browser: setup-browser page
	report/tests/run.sh

## The same, and the page of 100 flows x 50,000 points must open in under 2 s.
browser-timed: setup-browser page
	TUSKER_TIMED=1 report/tests/run.sh

## Takes the picture of docs/report.md.
report-picture: setup-browser
	report/tests/run.sh picture

## Measures speed and memory beside ns-2 and ns-3 and rewrites docs/performance.md.
bench: dist-program setup-ns2 setup-ns3 setup-valgrind $(NS3_REFERENCE)
	$(CARGO) build --profile dist --locked --package tusker-sim --example short_runs
	python3 bench/bench.py

## Runs the validation cells in ns-2 and rewrites bench/ns2/oracle.csv.
oracle: setup-ns2-laws
	python3 bench/ns2/oracle.py

## Checks gHSTCP and gARED in ns-2 against their definitions, from what they log.
check-ns2-laws: setup-ns2-laws
	python3 bench/ns2/laws/check.py

## Runs the same cells in Tusker and prints both side by side (needs no ns-2).
compare: setup-build
	python3 bench/ns2/compare.py

## Writes bench/ns2/cells.md, cases.md and what docs/validation.md has of them anew.
validate: setup-build
	python3 bench/ns2/compare.py --write
	python3 bench/ns2/compare.py --paper --write

## Runs what bench/linux/cells describes on Linux 6.1 in virtual time, in QEMU: about a
## minute of one core each. Keeps the numbers; what is stored is not run again.
oracle-linux: setup-build setup-qemu
	@PATH="$$PATH:/usr/sbin:/sbin" command -v tc >/dev/null || scripts/want.sh "queues of Linux" iproute2
	python3 bench/linux/workloads.py

## Holds the simulator against these numbers and writes bench/linux/compared.md
## and what docs/validation.md has of it anew. `make test` does so too, and writes nothing.
compare-linux: setup-build
	TUSKER_BLESS=1 $(CARGO) test --package tusker --locked --test linux

## Runs what bench/sockets/cells describes on real Linux sockets: 80 minutes, as root. Keeps
## the numbers; what is stored is not run again.
oracle-sockets: build kernel
	python3 bench/sockets/sockets.py $(TUSKER)
	python3 bench/sockets/sockets.py --samples $(TUSKER)

## Holds the simulator against these numbers and writes the table of docs/testbed.md anew.
compare-sockets: setup-build
	TUSKER_BLESS=1 $(CARGO) test --package tusker --locked --test sockets --test samples

## Runs single flows of laws in ns-3.44 and rewrites bench/ns3/oracle.csv.
oracle-ns3: setup-ns3-wheel
	python3 bench/ns3/oracle_ns3.py target/ns3

## Fuzzes files that users give, runs, laws, queues and packets, FUZZ_SECONDS (60) each.
fuzz: setup-build
	@command -v c++ >/dev/null || scripts/want.sh "a C++ compiler" g++
	fuzz/run.sh

## Licences, known vulnerabilities and sources of all dependencies. Fetches a database.
audit: setup-build
	@command -v cargo-deny >/dev/null || $(CARGO) install cargo-deny --locked
	$(CARGO) deny check

## What the tests know of advisories, anew from today's database: after a change of
## a lock file, and now and then. DATABASE=FOLDER takes a clone that is there already.
DATABASE = target/advisory-db
advisories:
	@test -d $(DATABASE) || git clone --depth 1 https://github.com/RustSec/advisory-db $(DATABASE)
	@test $(DATABASE) != target/advisory-db || git -C $(DATABASE) pull --quiet --ff-only
	python3 bench/advisories.py $(DATABASE)

## Writes the published JSON Schemas anew from the code.
schema: build
	$(TUSKER) schema scenario > schema/scenario.schema.json
	$(TUSKER) schema summary > schema/summary.schema.json
	$(TUSKER) schema reproduction > schema/reproduction.schema.json
	$(TUSKER) schema watched > schema/watched.schema.json
	$(TUSKER) schema plan > schema/plan.schema.json
	$(TUSKER) schema claim > schema/claim.schema.json
	$(TUSKER) schema evaluation > schema/evaluation.schema.json

## Runs the commands in the documents and writes what they print into them.
docs: build
	TUSKER_DOCS=$(TUSKER) $(CARGO) test --package tusker --locked --test documents what_documents_say

## Runs every paper shortened, and writes what comes out to papers/*/quick.csv and
## docs/reproduction.md. ANEW= goes on where it was stopped.
reproduction-quick: build
	bench/record.sh $(TUSKER) quick $(ANEW) $(PAPERS)
	TUSKER_BLESS=1 $(CARGO) test --package tusker-papers --locked --test overview

## The same at full length, to papers/*/full.csv. Takes 111 minutes of one core
## with one seed; ghstcp has five, and the others have three.
reproduction: build
	bench/record.sh $(TUSKER) full $(ANEW) $(PAPERS)
	TUSKER_BLESS=1 $(CARGO) test --package tusker-papers --locked --test overview

## Draws the picture of the README from simulated series.
picture: build
	python3 bench/picture.py

## The live page in target/page, with the simulator as WebAssembly: built anew only if the
## simulator has changed, which takes about three minutes of one core.
page: setup-build
	@command -v node >/dev/null || scripts/want.sh "the live page" nodejs
	scripts/wasm.sh
	scripts/page.sh

## The documents as a website in target/book, with a page for each congestion control,
## queue policy and command that the program writes about itself.
book: build setup-python page
	$(VENV)/bin/python book/build.py $(TUSKER)

## The same without its pictures, with the program that `make unit` has built: every
## link and every anchor leads somewhere.
book-check: setup-kernel setup-python
	$(CARGO) test --workspace --locked --no-run --test licences
	$(VENV)/bin/python book/build.py target/debug/tusker --check
## Draws the pictures of docs/findings from the tables of their pages.
findings-pictures:
	python3 bench/findings.py

# ---- set-up: nothing is done where everything is there already

setup-build:
	@command -v $(CARGO) >/dev/null || { \
	  echo "Rust is missing: install it with rustup or 'apt-get install cargo' (1.88 or later)" >&2; exit 1; }
	@command -v cc >/dev/null || scripts/want.sh "a linker for Rust" gcc libc6-dev

# what compiles and loads laws for the kernel, and what their tests send traffic with
KERNEL_PROGRAMS = clang pkg-config ip tc iperf3 bpftool
KERNEL_PACKAGES = clang libelf-dev zlib1g-dev pkg-config iproute2 iperf3 bpftool

setup-kernel: setup-build
	@( for program in $(KERNEL_PROGRAMS); do PATH="$$PATH:/usr/sbin:/sbin" command -v $$program >/dev/null || exit 1; done; \
	   pkg-config --exists libelf zlib; ) || scripts/want.sh "laws for the kernel, and traffic to test them" $(KERNEL_PACKAGES)

# reads captures in tests; asks no question, which its package otherwise may
setup-wireshark:
	@command -v tshark >/dev/null || scripts/want.sh "reading captures in tests" tshark

# moves files in a test of what `tusker plan` prints
setup-rsync:
	@command -v rsync >/dev/null || scripts/want.sh "testing the commands of a plan" rsync

setup-qemu:
	@command -v qemu-system-x86_64 >/dev/null && command -v cpio >/dev/null || \
	  scripts/want.sh "other kernels" qemu-system-x86 cpio

setup-python: $(VENV)/ready

$(VENV)/ready: bench/requirements-dev.txt book/requirements.txt python/requirements-dev.txt
	@python3 -c 'import ensurepip' 2>/dev/null || scripts/want.sh "Python tests" python3 python3-venv
	python3 -m venv $(VENV)
	$(PIP) -r bench/requirements-dev.txt -r book/requirements.txt \
	  -r python/requirements-dev.txt
	@touch $@

$(VENV)/ray: $(VENV)/ready python/requirements-ray.txt
	$(PIP) -r python/requirements-ray.txt
	@touch $@

setup-browser: setup-kernel report/tests/node_modules/ready

report/tests/node_modules/ready: report/tests/package-lock.json
	@command -v npm >/dev/null || scripts/want.sh "tests of pages" nodejs npm
	@command -v chromium >/dev/null || test -n "$$CHROMIUM" || scripts/want.sh "tests of pages" chromium
	cd report/tests && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

setup-ns2:
	@command -v ns >/dev/null || scripts/want.sh "comparisons with ns-2" ns2

# gHSTCP for ns-2: a module that the installed ns loads
setup-ns2-laws: setup-ns2 target/ns2/ghstcp.so

target/ns2/ghstcp.so: bench/ns2/laws/ghstcp.cc bench/ns2/laws/build.sh
	@command -v g++ >/dev/null && test -e /usr/include/tclcl/tclcl.h && test -e /usr/include/otcl.h \
	  && test -e /usr/include/tcl/tcl.h || \
	  scripts/want.sh "gHSTCP for ns-2" g++ xz-utils tcl-dev libtclcl1-dev libotcl1-dev
	bench/ns2/laws/build.sh

setup-ns3:
	@command -v g++ >/dev/null && test -e /usr/include/ns3/core-module.h || \
	  scripts/want.sh "comparisons with ns-3" g++ libns3-dev

# the wheel holds ns-3's libraries and headers; its bindings and what they need are not used
setup-ns3-wheel:
	@command -v g++ >/dev/null || scripts/want.sh "a C++ compiler" g++
	@test -d target/ns3/include || { python3 -m venv target/ns3-wheel && \
	  target/ns3-wheel/bin/pip install --quiet --no-deps ns3==3.44.post0 && \
	  ln -sfn "$$(echo $(CURDIR)/target/ns3-wheel/lib/python3.*/site-packages/ns3)" target/ns3; }

setup-valgrind:
	@command -v valgrind >/dev/null || scripts/want.sh "counting instructions" valgrind libc6-dbg

$(NS3_REFERENCE): bench/ns3/reference.cc | setup-ns3
	@mkdir -p $(@D)
	g++ -std=c++17 -O2 -Wall -Wextra -Werror $< -o $@ $(NS3_LIBS)

clean:
	$(CARGO) clean
	rm -rf $(VENV) report/tests/node_modules python/tusker/*.so
