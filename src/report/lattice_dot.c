#include "report/lattice.h"

/* The transitive reduction for Graphviz, for other layouts than ours. */
void esse_lattice_dot(struct esse_out *out)
{
    esse_out_text(out, "digraph levels {\n"
                       "  rankdir=TB;\n"
                       "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *level = esse_level_at(i);
        const bool same = strcmp(level->name, level->friendly) == 0;
        esse_out_f(out, "  \"%s\" [label=\"%s%s%s\"%s];\n", level->name, level->friendly,
                   same ? "" : "\\n", same ? "" : level->name,
                   level->is_own ? ", style=\"rounded,bold\"" : "");
    }
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *level = esse_level_at(i);
        for (size_t at = 0; level->implies[at].to; at++)
            if (esse_level_is_cover(level, at))
                esse_out_f(out, "  \"%s\" -> \"%s\"%s;\n", level->name,
                           esse_level_get(level->implies[at].to)->name,
                           level->implies[at].kind == ESSE_IMPLIES_PLAIN ? " [style=dashed]" : "");
    }
    esse_out_text(out, "}\n");
}
