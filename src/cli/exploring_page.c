#include "cli/exploring_page.h"

#include "base/arena.h"
#include "base/outfile.h"
#include "report/page/page.h"
#include "report/report_words.h"

#include <inttypes.h>

void exploring_page_start(struct exploring_page *page, const struct esse_exploring *e)
{
    *page = (struct exploring_page){ .path = e->page, .finds = e->finds };
    esse_out_init_memory(&page->rows, e->arena);
    esse_out_init_memory(&page->details, e->arena);
}

static void put_cell(struct esse_out *out, uint64_t number)
{
    char text[32];
    esse_words_count(text, number);
    esse_out_f(out, "<td class=\"number\">%s</td>", text);
}

void exploring_page_level(struct exploring_page *page, const struct esse_exploring *e,
                          enum esse_axiom axiom, const struct esse_explored *x, const char *verdict,
                          const char *why)
{
    struct esse_out *out = &page->rows;
    const bool is_broken = e->compares ? x->kept_of > 0 : x->broken_count > 0;
    if (!page->path)
        return;
    page->is_broken |= is_broken;
    page->is_unknown |= !is_broken && why;
    esse_out_f(out,
               "<tr data-level=\"%s\" data-verdict=\"%s\"><td>%s</td><td><span class=\"outcome "
               "%s\">%s</span></td>",
               esse_axiom_name(axiom), verdict, esse_axiom_name(axiom),
               is_broken ? "violated"
               : why     ? "unknown"
                         : "holds",
               verdict);
    put_cell(out, x->counts.histories);
    put_cell(out, x->counts.end_states);
    put_cell(out, x->counts.filtered);
    esse_out_f(out, "<td class=\"number\">%.3f</td><td>", x->seconds);
    esse_words_xml(out, why ? why : "");
    esse_out_text(out, "</td></tr>\n");
}

void exploring_page_broken(struct exploring_page *page, const struct esse_exploring *e,
                           enum esse_axiom axiom, const struct esse_broken *broken,
                           uint64_t histories, const char *story, const char *picture)
{
    struct esse_out *out = &page->details;
    if (!page->path)
        return;
    esse_out_f(out, "<article data-level=\"%s\">\n<h3>", esse_axiom_name(axiom));
    esse_words_xml(out, esse_claim_text(e->arena, e->program, broken));
    esse_out_f(out,
               "</h3>\n<p class=\"formal\">broken at %s in %" PRIu64 " of %" PRIu64
               " histories; this is the shortest</p>\n<pre tabindex=\"0\">",
               esse_axiom_name(axiom), broken->count, histories);
    esse_words_xml_lines(out, story);
    esse_out_text(out, "</pre>\n");
    if (picture)
        esse_out_f(out,
                   "<p>Why it is not serializable:</p>\n<div class=\"picture\" tabindex=\"0\">\n"
                   "%s</div>\n",
                   picture);
    esse_out_text(out, "</article>\n");
}

static const char *sentence(const struct exploring_page *page, const struct esse_exploring *e)
{
    if (page->finds && page->weakest)
        return esse_arena_format(e->arena,
                                 "%s is enough: it is the weakest level at which "
                                 "everything holds.",
                                 page->weakest);
    if (page->finds)
        return page->is_unknown ? "It was not decided which level is enough."
                                : "No level is enough: it goes wrong even if transactions run one "
                                  "by one.";
    return page->is_broken
               ? e->compares ? "The levels differ for this program." : "It can go wrong."
           : page->is_unknown ? "Not decided: not all executions were looked at."
                              : "It holds in every execution that was asked for.";
}

/* What the heading's colour says: whether the question was answered with what one hopes for. */
static enum esse_outcome outcome(const struct exploring_page *page)
{
    if (page->finds)
        return page->weakest ? ESSE_HOLDS : page->is_unknown ? ESSE_UNKNOWN : ESSE_VIOLATED;
    return page->is_broken ? ESSE_VIOLATED : page->is_unknown ? ESSE_UNKNOWN : ESSE_HOLDS;
}

static void put_page(struct esse_out *out, const struct exploring_page *page,
                     const struct esse_exploring *e)
{
    esse_page_begin(out, e->path, outcome(page));
    esse_out_text(out, "<p class=\"path\">");
    esse_words_xml(out, e->path);
    esse_out_text(out, "</p>\n<h1>");
    esse_words_xml(out, sentence(page, e));
    esse_out_text(out, "</h1>\n<div class=\"wide\"><table><thead><tr><th>level</th><th></th>"
                       "<th>histories</th><th>end states</th><th>filtered</th><th>seconds</th>"
                       "<th></th></tr></thead><tbody>\n");
    esse_out_bytes(out, page->rows.buffer, page->rows.count);
    esse_out_text(out, "</tbody></table></div>\n</header>\n<main>\n");
    if (page->details.count) {
        esse_out_text(out, "<section id=\"broken\">\n<h2>What goes wrong</h2>\n");
        esse_out_bytes(out, page->details.buffer, page->details.count);
        esse_out_text(out, "</section>\n");
    }
    esse_out_text(out, "</main>\n");
    esse_page_end(out);
}

int exploring_page_write(const struct exploring_page *page, const struct esse_exploring *e)
{
    struct esse_outfile file;
    struct esse_error err = { 0 };
    if (!page->path)
        return 0;
    if (!esse_outfile_open(&file, e->arena, page->path, &err))
        return esse_cli_fail(NULL, &err);
    put_page(&file.out, page, e);
    return esse_outfile_commit(&file, &err) ? 0 : esse_cli_fail(NULL, &err);
}
