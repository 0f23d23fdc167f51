#ifndef ESSE_TESTS_UNIT_JSON_TREE_H
#define ESSE_TESTS_UNIT_JSON_TREE_H

/* A JSON text as a tree that can be changed and written again.  For texts that the program wrote:
 * numbers are integers, texts have no escapes but those kept as they stand. */
#include "test.h"

#include "base/out.h"

enum j_kind { J_NULL, J_BOOL, J_NUMBER, J_TEXT, J_ARRAY, J_OBJECT };
enum { J_MEMBERS = 4096 };

struct j_node {
    enum j_kind kind;
    const char *name; /* in objects: as in the text, without quotes */
    long number;      /* and of a bool */
    const char *text; /* without quotes */
    struct j_node **at;
    int count;
};

struct j_reader {
    struct esse_arena *arena;
    const char *at;
};

static void j_skip(struct j_reader *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == ',' || *r->at == ':')
        r->at++;
}

static const char *j_string(struct j_reader *r)
{
    const char *begin = ++r->at;
    while (*r->at != '"')
        r->at += *r->at == '\\' ? 2 : 1;
    return esse_arena_text(r->arena, begin, (size_t)(r->at++ - begin));
}

static inline struct j_node *j_read(struct j_reader *r)
{
    struct j_node *node = esse_arena_alloc(r->arena, 1, sizeof *node);
    struct j_node *members[J_MEMBERS];
    j_skip(r);
    if (*r->at == '"') {
        node->kind = J_TEXT;
        node->text = j_string(r);
    } else if (*r->at == 'n' || *r->at == 't' || *r->at == 'f') {
        node->kind = *r->at == 'n' ? J_NULL : J_BOOL;
        node->number = *r->at == 't';
        r->at += *r->at == 'f' ? 5 : 4;
    } else if (*r->at == '[' || *r->at == '{') {
        const bool object = *r->at++ == '{';
        node->kind = object ? J_OBJECT : J_ARRAY;
        for (j_skip(r); *r->at != ']' && *r->at != '}'; j_skip(r)) {
            const char *name = object ? j_string(r) : NULL;
            assert_true(node->count < J_MEMBERS);
            members[node->count] = j_read(r);
            members[node->count++]->name = name;
        }
        r->at++;
        node->at = esse_arena_alloc(r->arena, (size_t)node->count + 2, sizeof *node->at);
        memcpy(node->at, members, (size_t)node->count * sizeof *members);
    } else {
        char *end;
        node->kind = J_NUMBER;
        node->number = strtol(r->at, &end, 10);
        assert_true(end != r->at);
        r->at = end;
    }
    return node;
}

static inline void j_write(struct esse_out *out, const struct j_node *node)
{
    switch (node->kind) {
    case J_NULL:
        esse_out_text(out, "null");
        break;
    case J_BOOL:
        esse_out_text(out, node->number ? "true" : "false");
        break;
    case J_NUMBER:
        esse_out_i64(out, node->number);
        break;
    case J_TEXT:
        esse_out_f(out, "\"%s\"", node->text);
        break;
    default:
        esse_out_char(out, node->kind == J_OBJECT ? '{' : '[');
        for (int i = 0; i < node->count; i++) {
            esse_out_text(out, i ? "," : "");
            if (node->kind == J_OBJECT)
                esse_out_f(out, "\"%s\":", node->at[i]->name);
            j_write(out, node->at[i]);
        }
        esse_out_char(out, node->kind == J_OBJECT ? '}' : ']');
    }
}

#endif
