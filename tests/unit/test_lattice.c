#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/rng.h"
#include "report/lattice.h"
#include "report/lattice_layout.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static struct esse_arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = esse_arena_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    esse_arena_free(arena);
    return 0;
}

static const char *written(void (*write)(struct esse_out *))
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    write(&out);
    return esse_out_memory(&out);
}

static const char *level_text(const char *name)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_lattice_level_text(&out, esse_level_find(name));
    return esse_out_memory(&out);
}

static const char *anomaly_text(const char *name)
{
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_lattice_anomaly_text(&out, esse_anomaly_find(name));
    return esse_out_memory(&out);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is missing in:\n%s", part, text);
}

/* Longest line, in columns. */
static size_t columns_of(const char *text)
{
    size_t most = 0, now = 0;
    for (; *text; text++) {
        now = *text == '\n' ? 0 : now + (((unsigned char)*text & 0xc0) != 0x80);
        most = now > most ? now : most;
    }
    return most;
}

/* Reads a JSON value; returns where it ends, or NULL. */
static const char *json(const char *at);

static const char *json_space(const char *at)
{
    return at + strspn(at, " \n");
}

static const char *json_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if ((unsigned char)*at < 0x20 || (*at == '\\' && !*++at))
            return NULL;
    return *at ? at + 1 : NULL;
}

static const char *json_items(const char *at, char end)
{
    at = json_space(at + 1);
    if (*at == end)
        return at + 1;
    for (;;) {
        if (end == '}') {
            at = *at == '"' ? json_string(at) : NULL;
            at = at ? json_space(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = json(json_space(at));
        at = at ? json_space(at) : NULL;
        if (!at || (*at != ',' && *at != end))
            return NULL;
        if (*at++ == end)
            return at;
        at = json_space(at);
    }
}

static const char *json(const char *at)
{
    static const char *const words[] = { "true", "false", "null" };
    if (*at == '{' || *at == '[')
        return json_items(at, *at == '{' ? '}' : ']');
    if (*at == '"')
        return json_string(at);
    for (size_t i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return NULL;
}

static void test_lattice__json_is_valid(void **state)
{
    (void)state;
    const char *text = written(esse_lattice_json), *end = json(text);
    assert_non_null(end);
    assert_string_equal(end, "\n");
    for (size_t i = 0; i < esse_level_count(); i++)
        assert_has(text, esse_level_at(i)->name);
    for (size_t i = 0; i < esse_anomaly_count(); i++)
        assert_has(text, esse_anomaly_at(i)->name);
}

static void test_lattice__json_of_one_is_valid(void **state)
{
    (void)state;
    struct esse_out out;
    esse_out_init_memory(&out, arena);
    esse_lattice_level_json(&out, esse_level_find("PL-SI"));
    const char *end = json(esse_out_memory(&out));
    assert_non_null(end);
    assert_string_equal(end, "\n");
    assert_has(esse_out_memory(&out), "\"kind\": \"plain\"");

    esse_out_init_memory(&out, arena);
    esse_lattice_anomaly_json(&out, esse_anomaly_find("G2-item"));
    end = json(esse_out_memory(&out));
    assert_non_null(end);
    assert_string_equal(end, "\n");
    assert_has(esse_out_memory(&out), "\"not\": [\"repeatable-read\"]");
}

static void test_lattice__text_names_every_level_and_fits_a_terminal(void **state)
{
    (void)state;
    const char *text = written(esse_lattice_text);
    for (size_t i = 0; i < esse_level_count(); i++)
        assert_has(text, esse_level_at(i)->friendly);
    assert_true(columns_of(text) <= 82);
    assert_null(strstr(text, " \n"));
    assert_has(text, "⇢ parallel-snapshot-isolation, prefix\n");
}

static void test_lattice__every_level_and_anomaly_is_explained_within_80_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++) {
        const char *text = level_text(esse_level_at(i)->name);
        assert_has(text, "Source");
        assert_has(text, "Forbids");
        assert_has(text, "Allows");
        assert_true(columns_of(text) <= 80);
        assert_null(strstr(text, " \n"));
    }
    for (size_t i = 0; i < esse_anomaly_count(); i++) {
        const char *text = anomaly_text(esse_anomaly_at(i)->name);
        assert_has(text, "Rules out");
        assert_has(text, "Example");
        assert_true(columns_of(text) <= 80);
        assert_null(strstr(text, " \n"));
    }
}

static void test_lattice__explains_what_an_anomaly_rules_out(void **state)
{
    (void)state;
    assert_has(anomaly_text("G-single"), "Rules out     consistent-view\n");
    assert_has(anomaly_text("G-single"), "and so also   forward-consistent-view,");
    assert_has(anomaly_text("duplicate-write"), "Rules out     no level\n");
}

static void test_lattice__each_level_is_in_one_group(void **state)
{
    (void)state;
    for (size_t i = 0; i < esse_level_count(); i++) {
        unsigned groups = 0;
        for (const struct esse_lattice_group *group = esse_lattice_groups; group->title; group++)
            groups += esse_lattice_group_has(group, esse_level_at(i));
        assert_int_equal(groups, 1);
    }
}

static void test_lattice__dot_has_an_edge_for_each_cover(void **state)
{
    (void)state;
    const char *text = written(esse_lattice_dot);
    assert_has(text, "\"PL-3\" -> \"PL-SI\";\n");
    assert_has(text, "\"PL-SI\" -> \"prefix\" [style=dashed];\n");
    assert_has(text, "\"strong-session-snapshot-isolation\" -> \"prefix\";\n");
    assert_null(strstr(text, "\"PL-SS\" -> \"PL-3\"")); /* by way of strong-session-serializable */
    assert_null(strstr(text, "\"read-atomic\" -> \"monotonic-atomic-view\""));
}

/* Follows tags; good enough for what we write ourselves: no comments, no CDATA. */
static void assert_well_formed(const char *text)
{
    const char *open[16];
    size_t lengths[16], depth = 0;
    for (const char *at = text; (at = strchr(at, '<'));) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        const bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        const size_t length = strcspn(name, " />");
        if (closes) {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(length, lengths[depth]);
            assert_memory_equal(name, open[depth], length);
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            open[depth] = name;
            lengths[depth++] = length;
        }
        at = end;
    }
    assert_int_equal(depth, 0);
    assert_null(strchr(text, '&'));
}

static void test_lattice__svg_is_well_formed_and_shows_every_level(void **state)
{
    (void)state;
    const char *text = written(esse_lattice_svg);
    assert_well_formed(text);
    for (size_t i = 0; i < esse_level_count(); i++)
        assert_has(text, esse_arena_format(arena, "<title>%s</title>", esse_level_at(i)->friendly));
    assert_has(text, "class=\"plain\"");
    assert_null(strstr(text, "nan"));
}

static void test_lattice__output_is_the_same_every_time(void **state)
{
    (void)state;
    assert_string_equal(written(esse_lattice_svg), written(esse_lattice_svg));
    assert_string_equal(written(esse_lattice_markdown), written(esse_lattice_markdown));
}

static void test_lattice__links_of_the_page_lead_to_headings(void **state)
{
    (void)state;
    const char *text = written(esse_lattice_markdown);
    unsigned links = 0;
    for (const char *at = text; (at = strstr(at, "](#")); links++) {
        at += 3;
        const size_t length = strcspn(at, ")");
        bool found = false;
        for (size_t i = 0; i < esse_level_count() && !found; i++)
            found = strncasecmp(esse_level_at(i)->friendly, at, length) == 0 &&
                    !esse_level_at(i)->friendly[length];
        assert_true(found);
    }
    assert_true(links > 100);
    for (size_t i = 0; i < esse_level_count(); i++)
        assert_has(text, esse_arena_format(arena, "\n### %s\n", esse_level_at(i)->friendly));
}

/* ---- The layout, on random graphs ------------------------------------------------------------ */

static struct esse_layout *random_layout(uint64_t seed)
{
    enum { BOXES = 24, EDGES = 40 };
    struct esse_rng rng = { seed };
    struct esse_layout *layout = esse_layout_new(arena, BOXES, EDGES);
    for (unsigned i = 0; i < BOXES; i++)
        esse_layout_box(layout, 40 + esse_rng_below(&rng, 120), 46);
    for (unsigned i = 0; i < EDGES; i++) {
        const unsigned from = esse_rng_below(&rng, BOXES - 1);
        esse_layout_edge(layout, from, from + 1 + esse_rng_below(&rng, BOXES - from - 1));
    }
    esse_layout_run(layout);
    return layout;
}

static bool overlap(const struct esse_layout_box *a, const struct esse_layout_box *b)
{
    return fabs(a->x - b->x) < (a->width + b->width) / 2 - 0.01 &&
           fabs(a->y - b->y) < (a->height + b->height) / 2 - 0.01;
}

static void assert_clear_of_boxes(const struct esse_layout *layout, struct esse_layout_point a,
                                  struct esse_layout_point b)
{
    for (unsigned i = 0; i < layout->box_count; i++) {
        const struct esse_layout_box *box = &layout->boxes[i];
        const double left = fmin(a.x, b.x), right = fmax(a.x, b.x);
        const bool beside = right < box->x - box->width / 2 || left > box->x + box->width / 2;
        const bool above = b.y < box->y - box->height / 2 + 0.01;
        const bool below = a.y > box->y + box->height / 2 - 0.01;
        assert_true(beside || above || below);
    }
}

static void test_layout__boxes_do_not_overlap_and_edges_pass_beside_them(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const struct esse_layout *layout = random_layout(seed);
        for (unsigned i = 0; i < layout->box_count; i++) {
            const struct esse_layout_box *box = &layout->boxes[i];
            assert_true(box->x - box->width / 2 > -0.01);
            assert_true(box->x + box->width / 2 < layout->width + 0.01);
            assert_true(box->y + box->height / 2 < layout->height + 0.01);
            for (unsigned j = 0; j < i; j++)
                assert_false(overlap(box, &layout->boxes[j]));
        }
        for (unsigned e = 0; e < layout->edge_count; e++) {
            const struct esse_layout_edge *edge = &layout->edges[e];
            for (unsigned i = 0; i + 1 < edge->count; i++) {
                assert_true(edge->points[i].y < edge->points[i + 1].y);
                assert_clear_of_boxes(layout, edge->points[i], edge->points[i + 1]);
            }
        }
    }
}

static void test_layout__edges_lead_down_from_box_to_box(void **state)
{
    (void)state;
    const struct esse_layout *layout = random_layout(99);
    for (unsigned e = 0; e < layout->edge_count; e++) {
        const struct esse_layout_edge *edge = &layout->edges[e];
        const struct esse_layout_box *from = &layout->boxes[edge->from];
        const struct esse_layout_box *to = &layout->boxes[edge->to];
        const struct esse_layout_point last = edge->points[edge->count - 1];
        assert_true(from->y < to->y);
        assert_true(fabs(edge->points[0].y - (from->y + from->height / 2)) < 0.01);
        assert_true(fabs(last.y - (to->y - to->height / 2)) < 0.01);
    }
}

/* A tree can be drawn without crossings, so it has to be. */
static void test_layout__a_tree_has_no_crossings(void **state)
{
    (void)state;
    struct esse_layout *layout = esse_layout_new(arena, 15, 14);
    for (unsigned i = 0; i < 15; i++)
        esse_layout_box(layout, 60, 30);
    for (unsigned i = 1; i < 15; i++)
        esse_layout_edge(layout, (i - 1) / 2, i);
    esse_layout_run(layout);
    for (unsigned a = 0; a < layout->edge_count; a++)
        for (unsigned b = 0; b < a; b++) {
            const struct esse_layout_point *p = layout->edges[a].points;
            const struct esse_layout_point *q = layout->edges[b].points;
            if (fabs(p[0].y - q[0].y) < 0.01)
                assert_true((p[0].x - q[0].x) * (p[1].x - q[1].x) >= -0.01);
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_lattice__json_is_valid),
        TEST(test_lattice__json_of_one_is_valid),
        TEST(test_lattice__text_names_every_level_and_fits_a_terminal),
        TEST(test_lattice__every_level_and_anomaly_is_explained_within_80_columns),
        TEST(test_lattice__explains_what_an_anomaly_rules_out),
        TEST(test_lattice__each_level_is_in_one_group),
        TEST(test_lattice__dot_has_an_edge_for_each_cover),
        TEST(test_lattice__svg_is_well_formed_and_shows_every_level),
        TEST(test_lattice__output_is_the_same_every_time),
        TEST(test_lattice__links_of_the_page_lead_to_headings),
        TEST(test_layout__boxes_do_not_overlap_and_edges_pass_beside_them),
        TEST(test_layout__edges_lead_down_from_box_to_box),
        TEST(test_layout__a_tree_has_no_crossings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
