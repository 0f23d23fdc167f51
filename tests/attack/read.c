#include "attack.h"

#include <stdlib.h>
#include <string.h>

/* Histories as tools/check-attack-truth writes them, a line each: "txn SESSION STATUS START END",
 * "r KEY VALUE", "p LOW HIGH", then "row KEY OLD NEW" and "saw KEY VALUE"; '-' is absent. */

static int number(const char *word)
{
    return strcmp(word, "-") == 0 ? NIL : atoi(word);
}

static void read_op(struct history *history, char letter, char words[][32])
{
    static const char letters[] = "rwd??pu";
    struct txn *txn = &history->txns[history->txn_count - 1];
    struct op *op = &txn->ops[txn->op_count++];
    *op = (struct op){ .kind = (enum op_kind)(strchr(letters, letter) - letters) };
    if (txn->op_count > MOST_OPS || history->txn_count > MOST_TXNS)
        abort();
    if (letter == 'p' || letter == 'u') {
        op->low = number(words[1]);
        op->high = number(words[2]);
        return;
    }
    op->key = number(words[1]);
    op->value = letter == 'd' ? NIL : number(words[2]);
}

static void read_line(struct history *history, int count, char words[][32])
{
    struct txn *txn = &history->txns[history->txn_count - 1];
    struct op *op = history->txn_count && txn->op_count ? &txn->ops[txn->op_count - 1] : NULL;
    int key = number(words[1]);
    if (strcmp(words[0], "init") == 0) {
        history->init[key] = number(words[2]);
        if (key >= history->key_count)
            history->key_count = key + 1;
    } else if (strcmp(words[0], "txn") == 0) {
        history->txns[history->txn_count] = (struct txn){
            .id = history->txn_count,
            .session = key,
            .status = (enum status)number(words[2]),
            .has_times = count > 3,
            .start = count > 3 ? number(words[3]) : 0,
            .end = count > 3 ? number(words[4]) : 0,
        };
        history->txn_count++;
    } else if (strcmp(words[0], "row") == 0) {
        op->returned[key] = true;
        op->row[key] = number(words[2]);
        op->changed[key] = count > 3 ? number(words[3]) : 0;
    } else if (strcmp(words[0], "saw") == 0) {
        op->has_vset = true;
        op->vset[key] = number(words[2]);
    } else if (strcmp(words[0], "version") == 0) {
        history->versions[key][history->version_count[key]++] = number(words[2]);
    } else {
        read_op(history, words[0][0], words);
    }
}

static void print_truth(const char *name, const struct history *history)
{
    struct truth truth = truth_of(history, 0);
    printf("%s", name);
    for (int i = 0; i < LEVEL_COUNT; i++)
        if (truth.defined >> i & 1)
            printf(" %s=%d", level_names[i], (int)(truth.holds >> i & 1));
    printf("\n");
}

int print_truths(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256], name[64] = "", words[5][32];
    struct history history;
    if (!file) {
        perror(path);
        return 74;
    }
    while (fgets(line, sizeof line, file)) {
        int count = sscanf(line, "%31s %31s %31s %31s %31s", words[0], words[1], words[2], words[3],
                           words[4]);
        if (count > 0 && strcmp(words[0], "history") == 0) {
            snprintf(name, sizeof name, "%s", words[1]);
            history = (struct history){ 0 };
        } else if (count > 0 && strcmp(words[0], "end") == 0) {
            print_truth(name, &history);
        } else if (count > 0) {
            read_line(&history, count, words);
        }
    }
    fclose(file);
    return 0;
}
