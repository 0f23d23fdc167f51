#!/usr/bin/env bash
# tools/check-layers finds what it says it does: a small tree, right at first, with one mistake at a time.
set -u
# shellcheck source=tests/cli/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

layers="$ROOT/tools/check-layers"
mkdir -p tree/tools tree/src/low tree/src/side tree/src/high/part

put() { # file under src, lines...
    local file=tree/src/$1
    shift
    printf '%s\n' "$@" >"$file"
}

table() { # lines...
    printf '%s\n' "$@" >tree/tools/layers.txt
}

right() {
    table 'low | | inside_*.h | zlib.h' 'side | | |' 'high | low side high/part | |' \
        'high/part | low high/contract.h | * |'
    put low/low.h '#include <zlib.h>'
    put low/inside_low.h ''
    put side/side.h ''
    put high/contract.h '#include "low/low.h"'
    put high/run.h '#include "high/contract.h"'
    put high/run.c '#include "high/run.h"'
    put high/part/part.c '#include "high/contract.h"'
    put high/part/part.h ''
}

wrong() { # name, what is said
    expect "$1" 1 "$layers" tree
    has "$1: says so" "$OUT" "$2"
    right
}

right
expect "a tree that follows its table" 0 "$layers" tree

put low/low.h '#include "high/run.h"'
wrong "an include upwards" "tree/src/low/low.h:1: low/ may not include high/run.h"
put high/part/part.c '' '#include "high/run.h"'
wrong "a sub-room that includes more than the contract" "part.c:2: high/part/ may not include high/run.h"
put high/run.c '#include "high/part/part.h"'
wrong "a private header" "run.c:1: high/part/part.h is private to high/part/"
put high/run.c '#include "low/inside_low.h"'
wrong "a private header by its pattern" "low/inside_low.h is private to low/"
put high/run.c '#include <zlib.h>'
wrong "a library of another room" "only low/ may include <zlib.h>"
put high/run.c '#include "run.h"'
wrong "an include without its folder" '"run.h" must be included by its folder'
put high/low.h ''
wrong "a name that is taken" "the name is taken by"
rm tree/src/high/low.h
put high/contract.h '#include "side/side.h"'
wrong "a contract that brings more than the sub-room may include" "high/part/ would get side/side.h with high/contract.h"
put high/contract.h '#include "high/part/part.h"'
wrong "a contract that includes the sub-room" "high/part/ would get high/part/part.h"
table 'low | high | |' 'high | low high/part | |' 'high/part | low high/contract.h | * |'
wrong "rooms in a circle" "may include itself, round about"

cc=${CC:-gcc}
printf 'int esse_one(void);\nint esse_one(void) { return 1; }\n' >one.c
printf 'int two(void);\nint two(void) { return 2; }\n' >two.c
$cc -c one.c two.c && ar rcs good.a one.o && ar rcs bad.a one.o two.o
$cc -shared -fPIC one.c -o good.so && $cc -shared -fPIC one.c two.c -o bad.so
expect "libraries whose symbols are all called esse_" 0 "$layers" --symbols good.a good.so
for library in bad.a bad.so; do
    expect "$library has another" 1 "$layers" --symbols $library
    same "$library: which" "$library: the symbol two is global" "$OUT"
done

finish
