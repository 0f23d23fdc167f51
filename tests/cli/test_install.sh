#!/usr/bin/env bash
# 'make install': every file in its place, the library's surface, and a program that is compiled
# against the installed tree and nothing else.
set -u
# shellcheck source=tests/cli/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

unset MAKEFLAGS MAKELEVEL MFLAGS # of the make that runs the tests
cc=${CC:-gcc}
version=$("$ESSE" --version | sed 's/^esse //')
dest=$WORK/dest usr=$WORK/dest/usr

check "make install" make -C "$ROOT" --no-print-directory install PREFIX=/usr "DESTDIR=$dest"
[ $failed -eq 0 ] || finish # nothing below would tell more

# ---- what is there ------------------------------------------------------------------------------

here() { # path under /usr, mode
    check "$1 is installed" test -s "$usr/$1"
    same "$1 has mode $2" "$2" "$(stat -L -c %a "$usr/$1" 2>&1)"
}
here bin/esse 755
here include/esse/esse.h 644
here lib/libesse.a 644
here "lib/libesse.so.$version" 755
here lib/pkgconfig/esse.pc 644
here share/man/man1/esse.1 644
here share/bash-completion/completions/esse 644
here share/zsh/site-functions/_esse 644
here share/fish/vendor_completions.d/esse.fish 644
for command in $("$ESSE" docs commands); do
    here "share/man/man1/esse-$command.1" 644
done
same "only /usr is touched" usr "$(ls "$dest")"
same "no path of the build is in esse.pc" "" "$(grep -F "$WORK" "$usr/lib/pkgconfig/esse.pc")"

expect "the installed program runs" 0 "$usr/bin/esse" --version
same "it says its version" "esse $version" "$OUT"

# ---- the shared library -------------------------------------------------------------------------

shared=$usr/lib/libesse.so.$version
soname=$(readelf -d "$shared" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
check "the soname has one number" grep -qxE 'libesse\.so\.[0-9]+' <<<"$soname"
same "the soname leads to the library" "libesse.so.$version" "$(readlink "$usr/lib/$soname")"
same "-lesse leads to the soname" "$soname" "$(readlink "$usr/lib/libesse.so")"

nm -D --defined-only "$shared" | awk '$2 ~ /^[A-Z]$/ {print $3}' | sort >exported
sed -n 's/^ESSE_API[^(]*[ *]\(esse_[a-z0-9_]*\)(.*/\1/p' "$usr/include/esse/esse.h" | sort >declared
check "the header declares functions" test -s declared
same "exactly what the header declares is exported" "" "$(diff declared exported)"

names() { nm -g --defined-only "$1" 2>/dev/null | awk 'NF == 3 {print $3}' | sort -u; }
same "and it is all that is global in the archive" "" "$(diff declared <(names "$usr/lib/libesse.a"))"

# ---- a program of a user ----------------------------------------------------------------------

# The tree is not where it says it is, so the prefix is given; no other esse.pc may be found.
export PKG_CONFIG_LIBDIR=$usr/lib/pkgconfig
flags() {
    pkg-config "--define-variable=prefix=$usr" "$@" esse
}
check "pkg-config finds esse" pkg-config --exists esse
same "pkg-config knows the version" "$version" "$(pkg-config --modversion esse)"

cp "$ROOT/examples/check_bank.c" .
read -ra cflags <<<"$(flags --cflags)"
read -ra libs <<<"$(flags --libs)"
read -ra static_libs <<<"$(flags --static --libs)"
strict=(-std=c11 -Wall -Wextra -Wpedantic -Werror)

finds_it() { # program
    expect "$1 runs" 0 env "LD_LIBRARY_PATH=$usr/lib" "./$1"
    has "$1 finds the lost update" "$OUT" "lost-update"
    has "$1 names the transactions" "$OUT" "pay-bob"
    printf '{"session":0,"ops":[{"w":"x","v":1}]}\n' >h.jsonl
    expect "$1 loads a file" 0 env "LD_LIBRARY_PATH=$usr/lib" "./$1" h.jsonl
    has "$1 has read it" "$OUT" "1 transactions, 1 operations"
    expect "$1 says what is wrong" 1 env "LD_LIBRARY_PATH=$usr/lib" "./$1" nowhere.jsonl
    has "$1 says why" "$ERR" "nowhere.jsonl"
}

check "the example compiles, shared" \
    "$cc" "${strict[@]}" "${cflags[@]}" check_bank.c "${libs[@]}" -o bank_shared
has "it needs the soname" "$(readelf -d bank_shared)" "[$soname]"
finds_it bank_shared

check "the example compiles, static" \
    "$cc" "${strict[@]}" "${cflags[@]}" -static check_bank.c "${static_libs[@]}" -o bank_static
same "it needs no library" "" "$(readelf -d bank_static | grep NEEDED)"
finds_it bank_static

# Functions of the program that are called as some inside of the library are: neither replaces the other.
cat >own_names.c <<'EOF'
#include <stdlib.h>
int scan_open(void);
int gen_new(void);
int scan_open(void) { abort(); }
int gen_new(void) { abort(); }
EOF
check "a program with a scan_open() of its own links, shared" \
    "$cc" "${strict[@]}" "${cflags[@]}" check_bank.c own_names.c "${libs[@]}" -o own_shared
finds_it own_shared
check "a program with a scan_open() of its own links, static" \
    "$cc" "${strict[@]}" "${cflags[@]}" -static check_bank.c own_names.c "${static_libs[@]}" -o own_static
finds_it own_static
check "every symbol of the libraries begins with esse_" \
    "$ROOT/tools/check-layers" --symbols "$usr/lib/libesse.a" "$shared"

# Linked statically, a global of ours with the name of one of theirs would silently replace it.
same "no name of ours is libpg_query's" "" \
    "$(comm -12 <(names "$usr/lib/libesse.a") <(names "$("$cc" -print-file-name=libpg_query.a)"))"

cxx=
for compiler in g++ clang++ c++; do
    [ -n "$cxx" ] || cxx=$(command -v "$compiler")
done
if [ -n "$cxx" ]; then
    printf '#include <esse/esse.h>\nint main() { return esse_version() == nullptr; }\n' >bank.cc
    check "a C++ compiler accepts the header" \
        "$cxx" -std=c++17 -Wall -Wextra -Werror "${cflags[@]}" bank.cc "${libs[@]}" -o bank_cxx
    check "a C++ program runs" env "LD_LIBRARY_PATH=$usr/lib" ./bank_cxx
else
    skip "a C++ compiler accepts the header" "no C++ compiler"
fi

finish
