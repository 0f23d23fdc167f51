#include "report/lattice.h"

#include <ctype.h>

/* The page docs/levels.md.  A test compares the page in the tree with what comes out here. */

static const char introduction[] =
    "# Levels and anomalies\n"
    "\n"
    "<!-- Made by 'esse levels --markdown'. Change the tables in src/level/, not this page. -->\n"
    "\n"
    "Every isolation level that Esse knows, with its one definition, "
    "and every anomaly that it reports. `esse levels NAME` shows the same in a "
    "terminal, `esse levels --json` to a program.\n"
    "\n"
    "![The levels and what they imply](levels.svg)\n"
    "\n"
    "## How to read the definitions\n"
    "\n"
    "Only committed transactions count, with those of unknown outcome whose writes a committed one "
    "must have observed; where the initial value or another writer explains what was read, a level "
    "holds if it holds with or without them. An initial transaction writes every key before all "
    "others. Between transactions there are these relations:\n"
    "\n"
    "| relation | from t to t' when |\n"
    "|---|---|\n"
    "| ww | t' installs the next version of a key after t's |\n"
    "| wr | t' reads a version that t installed |\n"
    "| rw | t reads a version, and t' installs the next; also when t reads by predicate and t' "
    "changes what matches |\n"
    "| so | t comes before t' in their session |\n"
    "| rt | t ended before t' started |\n"
    "| co | t comes before t' in a total order of all transactions, which is to be found |\n"
    "| po | one operation comes before another in the same transaction |\n"
    "\n"
    "`a ; b` is a followed by b, `a?` at most one step, `a*` any number, `a⁺` at least one. A "
    "level over a version order holds if some version order that agrees with what is known makes "
    "it hold; where the order is known, from lists or from a certificate, co agrees with it. A "
    "read after the transaction's own write of the key is checked by itself (`internal`) and "
    "makes no relation; levels over commit orders also require that there is no `internal`, `G1a` "
    "or `G1b`.\n"
    "\n"
    "The examples are histories in a line. `r(x,0)` reads 0 from x, `w` writes, `a(x,1)` appends "
    "1 to the list x, `p(v>0,{})` reads by predicate and finds nothing. Every key starts as 0, "
    "every list as []. Each transaction is committed and alone in its session unless a "
    "parenthesis says otherwise.\n"
    "\n";

static const char lattice_note[] =
    "\n"
    "Names are those of Elle, and so are the implications. Two of Elle's, marked ⇢, are true only "
    "if every transaction is its own session: plain snapshot isolation says nothing about the "
    "order within a session, and the levels over commit orders do. Esse never concludes from them "
    "that a level holds; it uses them, as Elle does, only to list what an anomaly rules out.\n"
    "\n";

static const char *const sources[] = {
    "Adya 1999: Atul Adya. Weak Consistency: A Generalized Theory and Optimistic Implementations "
    "for Distributed Transactions. PhD thesis, MIT.",
    "Ahamad et al. 1995: Mustaque Ahamad, Gil Neiger, James Burns, Prince Kohli, Phillip Hutto. "
    "Causal Memory: Definitions, Implementation, and Programming. Distributed Computing 9(1).",
    "Bailis et al. 2013: Peter Bailis, Aaron Davidson, Alan Fekete, Ali Ghodsi, Joseph "
    "Hellerstein, Ion Stoica. Highly Available Transactions: Virtues and Limitations. PVLDB 7(3).",
    "Bailis et al. 2014: Peter Bailis, Alan Fekete, Joseph Hellerstein, Ali Ghodsi, Ion Stoica. "
    "Scalable Atomic Visibility with RAMP Transactions. SIGMOD.",
    "Berenson et al. 1995: Hal Berenson, Phil Bernstein, Jim Gray, Jim Melton, Elizabeth O'Neil, "
    "Patrick O'Neil. A Critique of ANSI SQL Isolation Levels. SIGMOD.",
    "Bernstein and Goodman 1983: Philip Bernstein, Nathan Goodman. Multiversion Concurrency "
    "Control: Theory and Algorithms. ACM TODS 8(4).",
    "Bernstein, Hadzilacos and Goodman 1987: Concurrency Control and Recovery in Database Systems. "
    "Addison-Wesley.",
    "Biswas and Enea 2019: Ranadeep Biswas, Constantin Enea. On the Complexity of Checking "
    "Transactional Consistency. OOPSLA.",
    "Cerone, Bernardi and Gotsman 2015: A Framework for Transactional Consistency Models with "
    "Atomic Visibility. CONCUR.",
    "Cerone and Gotsman 2018: Andrea Cerone, Alexey Gotsman. Analysing Snapshot Isolation. "
    "Journal of the ACM 65(2).",
    "Daudjee and Salem 2004: Khuzaima Daudjee, Kenneth Salem. Lazy Database Replication with "
    "Ordering Guarantees. ICDE.",
    "Daudjee and Salem 2006: Khuzaima Daudjee, Kenneth Salem. Lazy Database Replication with "
    "Snapshot Isolation. VLDB.",
    "Hansdah and Patnaik 1986: R. C. Hansdah, L. M. Patnaik. Update Serializability in Locking. "
    "ICDT.",
    "Herlihy and Wing 1990: Maurice Herlihy, Jeannette Wing. Linearizability: A Correctness "
    "Condition for Concurrent Objects. ACM TOPLAS 12(3).",
    "Kingsbury and Alvaro 2020: Kyle Kingsbury, Peter Alvaro. Elle: Inferring Isolation Anomalies "
    "from Experimental Observations. PVLDB 14(3).",
    "Lamport 1979: Leslie Lamport. How to Make a Multiprocessor Computer That Correctly Executes "
    "Multiprocess Programs. IEEE Transactions on Computers C-28(9).",
    "Lipton and Sandberg 1988: Richard Lipton, Jonathan Sandberg. PRAM: A Scalable Shared Memory. "
    "Technical report CS-TR-180-88, Princeton University.",
    "Liu et al. 2018: Si Liu, Peter Ölveczky, Keshav Santhanam, Qi Wang, Indranil Gupta, José "
    "Meseguer. ROLA: A New Distributed Transaction Protocol and Its Formal Analysis. FASE.",
    "Papadimitriou 1979: Christos Papadimitriou. The Serializability of Concurrent Database "
    "Updates. Journal of the ACM 26(4).",
    "Sovran et al. 2011: Yair Sovran, Russell Power, Marcos Aguilera, Jinyang Li. Transactional "
    "Storage for Geo-Replicated Systems. SOSP.",
    "Terry et al. 1994: Douglas Terry, Alan Demers, Karin Petersen, Mike Spreitzer, Marvin "
    "Theimer, Brent Welch. Session Guarantees for Weakly Consistent Replicated Data. PDIS.",
    "Yannakakis 1984: Mihalis Yannakakis. Serializability by Locking. Journal of the ACM 31(2).",
};

/* Text with the characters escaped that would mean something to Markdown. */
static void escaped(struct esse_out *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("*_<>|", *text))
            esse_out_char(out, '\\');
        esse_out_char(out, *text);
    }
}

static void link_to(struct esse_out *out, const struct esse_level *level)
{
    esse_out_f(out, "[%s](#", level->friendly);
    for (const char *c = level->friendly; *c; c++)
        esse_out_char(out, (char)tolower((unsigned char)*c));
    esse_out_char(out, ')');
}

static void other_names(struct esse_out *out, const char *first, const char *const *aliases)
{
    bool any = false;
    if (first) {
        esse_out_f(out, "`%s`", first);
        any = true;
    }
    for (; *aliases; aliases++) {
        esse_out_f(out, any ? ", `%s`" : "`%s`", *aliases);
        any = true;
    }
}

static const char *second_name(const struct esse_level *level)
{
    return strcmp(level->name, level->friendly) != 0 ? level->name : NULL;
}

static void implied_levels(struct esse_out *out, const struct esse_level *level)
{
    bool any = false;
    for (size_t i = 0; level->implies[i].to; i++) {
        if (!esse_level_is_cover(level, i))
            continue;
        esse_out_text(out, any ? ", " : "");
        if (level->implies[i].kind == ESSE_IMPLIES_PLAIN)
            esse_out_text(out, "⇢ ");
        link_to(out, esse_level_get(level->implies[i].to));
        any = true;
    }
}

static void lattice_table(struct esse_out *out)
{
    esse_out_text(out, "## The lattice\n\nStrongest first. A level implies those in the last "
                       "column, and whatever those imply.\n\n"
                       "| level | other names | implies |\n|---|---|---|\n");
    for (size_t i = 0; i < esse_level_count(); i++) {
        const struct esse_level *level = esse_level_at(i);
        esse_out_text(out, "| ");
        link_to(out, level);
        esse_out_text(out, level->is_own ? " (Esse's own) | " : " | ");
        other_names(out, second_name(level), level->aliases);
        esse_out_text(out, " | ");
        implied_levels(out, level);
        esse_out_text(out, " |\n");
    }
    esse_out_text(out, lattice_note);
}

/* The reported anomalies that rule the level out and none that it implies. */
static void own_anomalies(struct esse_out *out, const struct esse_level *level)
{
    bool any = false;
    for (size_t i = 0; i < esse_anomaly_count(); i++) {
        const struct esse_anomaly_type *type = esse_anomaly_at(i);
        bool is_new = type->shown_by != ESSE_SHOWN_BY_NOTHING && esse_level_forbids(level, type);
        for (const struct esse_implication *edge = level->implies; edge->to; edge++)
            is_new = is_new && !esse_level_forbids(esse_level_get(edge->to), type);
        if (!is_new)
            continue;
        esse_out_f(out, any ? ", `%s`" : "Anomalies that rule it out and nothing it implies: `%s`",
                   type->name);
        any = true;
    }
    if (any)
        esse_out_text(out, ".\n\n");
}

static void level_section(struct esse_out *out, const struct esse_level *level)
{
    const struct esse_level_notes *notes = esse_level_notes_of(level);
    esse_out_f(out, "### %s\n\n", level->friendly);
    if (second_name(level) || level->aliases[0]) {
        esse_out_text(out, "Also called ");
        other_names(out, second_name(level), level->aliases);
        esse_out_text(out, ".\n\n");
    }
    escaped(out, level->definition);
    esse_out_f(out, "\n\nSource: %s.\n\n", level->source);
    own_anomalies(out, level);
    esse_out_f(out, "- Forbids `%s`  \n  %s\n", notes->forbidden.history, notes->forbidden.why);
    esse_out_f(out, "- Allows `%s`  \n  %s\n", notes->allowed.history, notes->allowed.why);
    for (size_t i = 0; notes->databases[i]; i++) {
        esse_out_text(out, i ? "; " : "- Databases: ");
        escaped(out, notes->databases[i]);
    }
    esse_out_text(out, notes->databases[0] ? ".\n\n" : "\n");
}

static void anomaly_row(struct esse_out *out, const struct esse_anomaly_type *type)
{
    const char *const *not_levels, *const *also_not;
    uint32_t not_count, also_count;
    esse_level_boundary(out->arena, &type, 1, NULL, 0, &not_levels, &not_count, &also_not,
                        &also_count);
    esse_out_f(out, "| `%s` | ", type->name);
    other_names(out, NULL, type->aliases);
    esse_out_text(out, type->aliases[0] ? " | " : "| ");
    escaped(out, type->definition);
    esse_out_f(out, "<br>`%s`<br>%s | ", type->example.history, type->example.why);
    for (uint32_t i = 0; i < not_count; i++) {
        esse_out_text(out, i ? ", " : "");
        link_to(out, esse_level_find(not_levels[i]));
    }
    esse_out_text(out, not_count ? " |\n" : "none |\n");
}

static void anomaly_table(struct esse_out *out, bool umbrella)
{
    esse_out_text(out, "| anomaly | other names | definition and example | rules out |\n"
                       "|---|---|---|---|\n");
    for (size_t i = 0; i < esse_anomaly_count(); i++)
        if ((esse_anomaly_at(i)->shown_by == ESSE_SHOWN_BY_NOTHING) == umbrella)
            anomaly_row(out, esse_anomaly_at(i));
    esse_out_char(out, '\n');
}

void esse_lattice_markdown(struct esse_out *out)
{
    esse_out_text(out, introduction);
    lattice_table(out);
    for (const struct esse_lattice_group *group = esse_lattice_groups; group->title; group++) {
        esse_out_f(out, "## %s\n\n%s\n\n", group->title, group->about);
        for (size_t i = 0; i < esse_level_count(); i++)
            if (esse_lattice_group_has(group, esse_level_at(i)))
                level_section(out, esse_level_at(i));
    }
    esse_out_text(out, "## Anomalies\n\nAn anomaly rules out the levels in the last column and "
                       "every level that implies one of them.\n\n");
    anomaly_table(out, false);
    esse_out_text(out, "### Names that are never reported\n\nThese stand for several anomalies, or "
                       "for what Esse reports under a more precise name.\n\n");
    anomaly_table(out, true);
    esse_out_text(out, "## Sources\n\n");
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        esse_out_f(out, "- %s\n", sources[i]);
}
