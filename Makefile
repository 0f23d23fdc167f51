# Esse.  The front door: make, make run, make test, make bench, make soak, make install.
#
#   make                build/esse; installs nothing, says what is missing
#   make deps           install what building needs (Debian packages); make deps-test: testing too
#   make run            deps, build, and show what it does to a live database
#   make test           deps-test, build (release and sanitizers) and run every test
#   make soak           an hour: the standing attack, randomised tests, promises, fuzzing
#   make bench          measure; prints tables, writes build/bench*.json
#   make bench-ablation what each part of the engine polygraph is worth
#   make install        PREFIX=/usr/local DESTDIR=
#   make asan, tsan     build/asan/esse (AddressSanitizer, UBSan), build/tsan/esse (ThreadSanitizer)
#   make tidy, format   clang-tidy; clang-format in place
#   make docs           everything in docs/, man/ and completions/ that is made from tables

VERSION = 0.1.0
SOVERSION = 1
PREFIX ?= /usr/local
DESTDIR ?=
CC = gcc # or clang
AR = $(if $(findstring clang,$(CC)),llvm-ar,gcc-ar)
Q = $(if $(V),,@) # make V=1 shows the commands

WARN = -Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
       -Wpointer-arith -Wvla -Wno-missing-field-initializers
DEFINES = -D_GNU_SOURCE -DESSE_VERSION='"$(VERSION)"'
BASE_FLAGS = -std=c11 -isystem /usr/include/mariadb $(DEFINES) $(WARN) -fvisibility=hidden -Iinclude -Isrc -MMD -MP
# libpg_query statically: it starts faster, and its two thousand names (strnlen among them) stay inside.
LIBS = -lz -lzstd -lsqlite3 -l:libpg_query.a -Wl,--exclude-libs,libpg_query.a -lm -lpthread

# -fPIC, because the shared library is made of the same objects; the program is optimised again when
# it is linked, and then as the program that it is.
RELEASE_FLAGS = -O3 -g -fPIC
# Fat objects, so that the installed static library links without LTO too; clang 14 has none.
LTO_FLAGS = $(if $(findstring clang,$(CC)),,-flto=auto -ffat-lto-objects)
# Sanitizer builds have the expensive asserts too: base/checked.h.  What their reports name is lines: -g1.
ASAN_FLAGS = -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
             -DESSE_CHECKED
# What TSan adds to the code makes gcc see variables that are not set; the other builds look at that.
TSAN_FLAGS = -O1 -g1 -fsanitize=thread -Wno-maybe-uninitialized -DESSE_CHECKED

SOURCES = $(sort $(shell find src -name '*.c'))
LIB_SOURCES = $(filter-out src/cli/%,$(SOURCES))
MADE_SOURCES = build/web/page_web.c # of web/, by tools/inline-web
CLI_SOURCES = $(filter src/cli/%,$(SOURCES))
UNIT_SOURCES = $(sort $(wildcard tests/unit/test_*.c))
ATTACK_SOURCES = $(sort $(wildcard tests/attack/*.c))
UNIT_TESTS = $(UNIT_SOURCES:tests/unit/%.c=%)

all: build/esse

# ---- parallel by default; -jN on the command line counts more -----------------------------------

ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
# 'make clean test' is first the one and then the other.
ifneq ($(and $(word 2,$(MAKECMDGOALS)),$(filter clean deps% run test soak bench%,$(MAKECMDGOALS))),)
.NOTPARALLEL:
endif
# Scripts that call make have the same flags, but not this make's job server.
SCRIPT = MAKEFLAGS='$(filter-out --jobserver%,$(MAKEFLAGS))'

# ---- set-up -----------------------------------------------------------------------------------

deps:
	@tools/bootstrap build

deps-test:
	@tools/bootstrap test

build/.ready-%: tools/bootstrap
	@tools/bootstrap --check $*
	@mkdir -p build && touch $@

# ---- what pages are made of ---------------------------------------------------------------------

build/web/page_web.c: tools/inline-web $(wildcard web/report/*)
	@mkdir -p $(dir $@)
	@echo '  web   $@'
	$(Q)tools/inline-web web/report >$@.part && mv $@.part $@

# ---- one rule set per kind of build: $(1) folder, $(2) flags, $(3) flags for linking ------------

define VARIANT
build/$(1)/%.o: %.c | build/.ready-build
	@mkdir -p $$(dir $$@)
	@echo '  cc    $$@'
	$$(Q)$$(CC) $$(BASE_FLAGS) $(2) -c $$< -o $$@

build/$(1)/libesse.a: $$(LIB_SOURCES:%.c=build/$(1)/%.o) $$(MADE_SOURCES:%.c=build/$(1)/%.o)
	@rm -f $$@
	@echo '  ar    $$@'
	$$(Q)$$(AR) rcs $$@ $$^

build/$(1)/esse: $$(CLI_SOURCES:%.c=build/$(1)/%.o) build/$(1)/libesse.a
	@echo '  link  $$@'
	$$(Q)rm -f $$@ && $$(CC) $(2) $(3) $$^ $$(LIBS) -o $$@

# Without LTO: it would optimise the whole library again for each of them, for minutes.
build/$(1)/tests/%: build/$(1)/tests/unit/%.o build/$(1)/libesse.a
	@echo '  link  $$@'
	$$(Q)$$(CC) $(2) -fno-lto $(3) $$^ $$(LIBS) -lcmocka -Wl,--as-needed -lsqlite3 $$(TEST_LIBS) -o $$@

build/$(1)/tests/test_sat_cadical: TEST_LIBS = -lcadical -lstdc++

$$(UNIT_TESTS:%=build/$(1)/tests/unit/%.o): | build/.ready-test

# The standing attack: docs/design/attack.md.
build/$(1)/attack: $$(ATTACK_SOURCES:%.c=build/$(1)/%.o) build/$(1)/libesse.a
	@echo '  link  $$@'
	$$(Q)$$(CC) $(2) -fno-lto $(3) $$^ $$(LIBS) -o $$@

build/$(1)/bench/%: build/$(1)/bench/%.o build/$(1)/libesse.a
	@echo '  link  $$@'
	$$(Q)$$(CC) $(2) $(3) $$^ $$(LIBS) -o $$@

unit-$(1): $$(UNIT_TESTS:%=build/$(1)/tests/%)
.PHONY: unit-$(1)
endef

$(eval $(call VARIANT,release,$(RELEASE_FLAGS) $(LTO_FLAGS),))
$(eval $(call VARIANT,asan,$(ASAN_FLAGS),))
$(eval $(call VARIANT,tsan,$(TSAN_FLAGS),))
# The parsers under libFuzzer, which clang alone has.
build/fuzz/%: CC = clang
build/fuzz/%: AR = ar
FUZZ_FLAGS = -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -DESSE_CHECKED -Wno-missing-prototypes
FUZZERS = $(patsubst %.c,build/%,$(sort $(wildcard fuzz/fuzz_*.c)))
$(eval $(call VARIANT,fuzz,$(FUZZ_FLAGS),))
build/fuzz/fuzz_%: build/fuzz/fuzz/fuzz_%.o build/fuzz/libesse.a
	@echo '  link  $@'
	$(Q)$(CC) $(FUZZ_FLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@
fuzzers: $(FUZZERS)
.PHONY: fuzzers
.SECONDARY:

-include $(shell find build -name '*.d' 2>/dev/null)

build/esse: build/release/esse
	@ln -f $< $@

asan: build/asan/esse
tsan: build/tsan/esse

# ---- running and testing ------------------------------------------------------------------------

run: deps
	@$(MAKE) --no-print-directory build/esse
	@tools/demo build/esse

test: deps-test
	@$(SCRIPT) tests/run

soak: deps-test
	@$(SCRIPT) tests/soak

bench: deps-test
	@$(SCRIPT) bench/run
	@$(SCRIPT) bench/polygraph
	@$(SCRIPT) bench/certificates
	@$(SCRIPT) bench/collect
	@$(SCRIPT) bench/explore
	@$(SCRIPT) bench/page

bench-ablation: deps-test
	@$(SCRIPT) bench/ablation

# ---- what is made from tables -------------------------------------------------------------------

docs: build/esse
	@tools/make-docs build/esse .

# ---- checking the code --------------------------------------------------------------------------

C_FILES = $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h')

format: build/.ready-test
	clang-format -i $(C_FILES)

tidy: build/.ready-test
	clang-tidy --quiet $(LIB_SOURCES) $(CLI_SOURCES) -- -std=c11 -isystem /usr/include/mariadb $(DEFINES) -Iinclude -Isrc

# ---- installing ---------------------------------------------------------------------------------

SHARED = libesse.so.$(VERSION)

# What is installed exports only what esse.h declares: tools/install says how and why.
build/libesse.a: build/release/libesse.a include/esse/esse.h
	@echo '  link  $@'
	$(Q)$(CC) -fno-lto -nostdlib -r -o build/libesse.o $< \
	    $$(sed -n 's/^ESSE_API[^(]*[ *]\(esse_[a-z0-9_]*\)(.*/-Wl,-u,\1/p' include/esse/esse.h)
	$(Q)objcopy --localize-hidden --remove-section='.gnu.lto_*' --remove-section='.gnu.debuglto_*' build/libesse.o
	$(Q)rm -f $@ && $(AR) rcs $@ build/libesse.o

build/$(SHARED): build/release/libesse.a
	@echo '  link  $@'
	$(Q)$(CC) -fno-lto -shared -Wl,-soname,libesse.so.$(SOVERSION) -o $@ \
	    -Wl,--whole-archive $< -Wl,--no-whole-archive $(LIBS)

install: build/esse build/libesse.a build/$(SHARED)
	VERSION=$(VERSION) SOVERSION=$(SOVERSION) PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' tools/install

clean:
	rm -rf build

.PHONY: all deps deps-test run test soak bench bench-ablation docs format tidy install asan tsan clean
