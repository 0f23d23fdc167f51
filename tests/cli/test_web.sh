#!/usr/bin/env bash
# The scripts of pages: their pure parts by node's own test runner, their types by tsc, and how they are joined.
set -u
. "$(dirname "$0")/lib.sh"

if command -v node >/dev/null; then
    check "the pure parts" node --test "$ROOT/tests/web/"
else
    skip "the pure parts" "there is no node"
fi
if command -v tsc >/dev/null; then
    check "types" tsc -p "$ROOT/web/tsconfig.json"
else
    skip "types" "there is no tsc"
fi

# ---- tools/inline-web ----
mkdir w
printf 'export const one = "\\\\ ? ??= \\" <";\n' >w/a.js
printf 'import { one } from "./a.js";\nexport function two() {\n    return one;\n}\n' >w/b.js
printf 'import { one } from "./a.js";\nimport {\n    two,\n} from "./b.js";\n\nif (two() !== one) throw 1;\n' >w/main.js
echo 'p { color: red; }' >w/style.css
expect "modules are joined" 0 "$ROOT/tools/inline-web" w
cat >made.c <<END
#include <stdio.h>
${OUT//'#include "report/page/page_parts.h"'/}
int main(void) { return fputs(esse_web_script, stdout) < 0; }
END
check "as C" ${CC:-cc} -o made made.c
./made >made.js
same "each once, in the order of their imports" "one two" "$(grep -o 'const one\|function two' made.js | cut -d' ' -f2 | tr '\n' ' ' | sed 's/ $//')"
case "$(cat made.js)" in *import* | *export*) fail "without imports and exports" "$(cat made.js)" ;; *) pass "without imports and exports" ;; esac
if command -v node >/dev/null; then check "which run" node made.js; fi
same "with their hash" "$(sha256sum <made.js | cut -c1-64)" \
    "$(sed -n 's/.*sha256-\(.*\)".*/\1/p' <<<"$OUT" | base64 -d | od -An -v -tx1 | tr -d ' \n')"
echo 'const one = 2;' >>w/b.js
expect "a name that two modules declare" 65 "$ROOT/tools/inline-web" w
echo 'import { no } from "./none.js";' >w/main.js
expect "a module that is not there" 65 "$ROOT/tools/inline-web" w
printf 'const end = "</script>";\n' >w/main.js
expect "what would end the script" 65 "$ROOT/tools/inline-web" w
finish
