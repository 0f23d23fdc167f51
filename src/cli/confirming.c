#include "cli/confirming.h"

#include "base/out.h"
#include "collect/driver/talk.h"
#include "collect/server/spawn.h"
#include "explore/play.h"

#include <string.h>

struct esse_confirming {
    const struct esse_talker *talker;
    enum esse_play_server server;
    bool has_level; /* another one than that at which it was found */
    enum esse_axiom level;
    struct esse_spawned *spawned;
    struct esse_url url;
    struct esse_talk *admin;
    unsigned played;
};

static const struct server {
    const char *name;
    enum esse_play_server server;
    const struct esse_talker *talker;
    const char *session[4]; /* what each session begins with; NULL-terminated */
} servers[] = {
    { "postgresql", ESSE_PLAY_POSTGRESQL, &esse_talker_postgresql, { NULL } },
    /* Without the first its REPEATABLE READ is less than snapshot isolation.  SET TRANSACTION is
     * for the next transaction, which the next statement begins. */
    { "mariadb",
      ESSE_PLAY_MARIADB,
      &esse_talker_mariadb,
      { "SET innodb_snapshot_isolation = ON", "SET innodb_lock_wait_timeout = 5",
        "SET autocommit = OFF" } },
};

/* ---- one session's part ---- */

struct seat {
    struct esse_talk *talk;
    bool is_busy;
    const struct esse_play_action *action; /* that it is busy with */
};

struct playing {
    struct esse_confirming *confirming;
    struct esse_arena *arena;
    const struct esse_execution *execution;
    struct esse_play play;
    const char *begins[ESSE_PROGRAM_TXNS_MOST];
    struct seat seats[ESSE_PROGRAM_TXNS_MOST]; /* by session */
    bool *is_done;                             /* by action */
    bool has_failed[ESSE_PROGRAM_TXNS_MOST];   /* the server ended it, by transaction */
    struct esse_out said;
    bool is_refused, is_unplayed;
};

static const char *name_of(const struct playing *p, uint32_t txn)
{
    return esse_execution_name(p->arena, p->play.program, txn);
}

static void begin_saying(struct playing *p)
{
    esse_out_text(&p->said, p->said.count ? "; " : "");
}

/* An error that is one of the text, and not of what others do. */
static bool is_of_the_text(const char *code)
{
    return strncmp(code, "42", 2) == 0 || strncmp(code, "0A", 2) == 0 ||
           strcmp(code, "1064") == 0 || strcmp(code, "1146") == 0 || strcmp(code, "1305") == 0;
}

static void take_error(struct playing *p, const struct esse_play_action *action,
                       const struct esse_talk_answer *answer)
{
    const bool was_found = p->execution->units[action->txn].status == ESSE_UNIT_ABORTED;
    if (!p->has_failed[action->txn] && !was_found) {
        begin_saying(p);
        esse_out_f(&p->said, "%s was ended: %s %s", name_of(p, action->txn), answer->code,
                   answer->text);
        p->is_refused = true;
        p->is_unplayed |= is_of_the_text(answer->code);
    }
    p->has_failed[action->txn] = true;
}

static void take_answer(struct playing *p, const struct esse_play_action *action,
                        const struct esse_talk_answer *answer)
{
    if (answer->is_error) {
        take_error(p, action, answer);
    } else if (action->expected && answer->first && strcmp(action->expected, answer->first) != 0) {
        begin_saying(p);
        esse_out_f(&p->said, "%s read %s, not %s", name_of(p, action->txn), answer->first,
                   action->expected);
        p->is_refused = true;
    }
}

/* Waits for an answer; one that comes late waited for others. */
static void look(struct playing *p, uint32_t session, double seconds)
{
    struct seat *seat = &p->seats[session];
    struct esse_talk_answer answer;
    if (!seat->is_busy || !esse_talk_wait(seat->talk, seconds, &answer))
        return;
    seat->is_busy = false;
    take_answer(p, seat->action, &answer);
}

/* What the action sends; of one that the server has ended already only the end. */
static const char *text_of(const struct playing *p, const struct esse_play_action *action)
{
    if (action->kind == ESSE_PLAY_BEGIN)
        return p->begins[action->txn];
    if (!p->has_failed[action->txn])
        return action->text;
    return action->kind == ESSE_PLAY_END ? "ROLLBACK" : NULL;
}

static void send(struct playing *p, const struct esse_play_action *action)
{
    const double patience = 0.3;
    struct seat *seat = &p->seats[action->session];
    const char *text = text_of(p, action);
    if (!text)
        return;
    seat->action = action;
    seat->is_busy = true;
    esse_talk_send(seat->talk, text);
    look(p, action->session, patience);
    if (!seat->is_busy)
        return;
    begin_saying(p);
    esse_out_f(&p->said, "%s had to wait for another session", name_of(p, action->txn));
}

/* The next action that no session is busy with, in the order that was found. */
static uint32_t next_action(const struct playing *p)
{
    bool is_held[ESSE_PROGRAM_TXNS_MOST] = { false };
    for (uint32_t i = 0; i < p->play.action_count; i++) {
        const struct esse_play_action *action = &p->play.actions[i];
        if (p->is_done[i] || is_held[action->session])
            continue;
        if (!p->seats[action->session].is_busy)
            return i;
        is_held[action->session] = true;
    }
    return UINT32_MAX;
}

/* Waits for one of those that are busy; false if none of them answers. */
static bool wait_for_one(struct playing *p)
{
    enum { TURNS = 400 }; /* of 25 ms: longer than any limit for locks and deadlocks */
    for (int turn = 0; turn < TURNS; turn++) {
        bool is_any = false;
        for (uint32_t s = 0; s < p->play.program->session_count; s++) {
            const bool was_busy = p->seats[s].is_busy;
            is_any |= was_busy;
            look(p, s, 0.025);
            if (was_busy && !p->seats[s].is_busy)
                return true;
        }
        if (!is_any)
            return false;
    }
    begin_saying(p);
    esse_out_text(&p->said, "the sessions wait for each other for ever");
    p->is_refused = true;
    return false;
}

static void play_actions(struct playing *p)
{
    for (;;) {
        const uint32_t at = next_action(p);
        if (at != UINT32_MAX) {
            p->is_done[at] = true;
            send(p, &p->play.actions[at]);
        } else if (!wait_for_one(p)) {
            return;
        }
        for (uint32_t s = 0; s < p->play.program->session_count; s++)
            look(p, s, 0);
    }
}

/* ---- before and after ---- */

static const struct server *row_of(const struct esse_confirming *c)
{
    for (size_t i = 0;; i++)
        if (servers[i].talker == c->talker)
            return &servers[i];
}

static bool fails(struct playing *p, const char *what, const struct esse_talk_answer *answer)
{
    if (!answer->is_error)
        return false;
    begin_saying(p);
    esse_out_f(&p->said, "%s: %s %s", what, answer->code, answer->text);
    p->is_unplayed = true;
    return true;
}

static struct esse_talk *open_session(struct playing *p, const char *database)
{
    const struct server *row = row_of(p->confirming);
    struct esse_talk_answer answer;
    struct esse_error err = { 0 };
    struct esse_talk *talk =
        esse_talk_open(p->arena, row->talker, &p->confirming->url, database, &err);
    if (!talk) {
        esse_out_text(&p->said, err.text);
        p->is_unplayed = true;
        return NULL;
    }
    for (int i = 0; row->session[i]; i++) {
        esse_talk_ask(talk, row->session[i], &answer);
        if (fails(p, row->session[i], &answer))
            break;
    }
    return talk;
}

static bool set_up(struct playing *p, struct esse_talk *talk)
{
    struct esse_talk_answer answer;
    for (uint32_t i = 0; i < p->play.setup_count; i++) {
        esse_talk_ask(talk, p->play.setup[i], &answer);
        if (fails(p, "setup", &answer))
            return false;
    }
    esse_talk_ask(talk, "COMMIT", &answer);
    return !fails(p, "setup", &answer);
}

/* Is it broken there, too?  Its rows. */
static bool is_broken_there(struct playing *p, struct esse_talk *talk)
{
    struct esse_talk_answer answer;
    bool is_broken = !p->is_refused;
    if (p->play.invariant) {
        esse_talk_ask(talk, p->play.invariant, &answer);
        if (fails(p, "the invariant", &answer))
            return false;
        is_broken =
            !answer.first || (strcmp(answer.first, "t") != 0 && strcmp(answer.first, "1") != 0);
        if (!is_broken && !p->is_refused) {
            begin_saying(p);
            esse_out_text(&p->said, "all transactions ended as found, and it holds there");
        }
    }
    for (uint32_t i = 0; is_broken && i < p->play.table_count; i++) {
        esse_talk_ask(talk, esse_arena_format(p->arena, "SELECT * FROM %s", p->play.tables[i]),
                      &answer);
        begin_saying(p);
        esse_out_f(&p->said, "%s: %s", p->play.tables[i], answer.rows);
    }
    return is_broken;
}

static bool set_levels(struct playing *p, enum esse_axiom axiom)
{
    const struct esse_confirming *c = p->confirming;
    const struct esse_program *program = p->play.program;
    for (uint32_t i = 0; i < program->txn_count; i++) {
        const struct esse_program_txn *txn = &program->txns[i];
        const enum esse_axiom level = c->has_level     ? c->level
                                      : txn->has_level ? esse_axiom_of(txn->level)
                                                       : axiom;
        p->begins[i] = esse_play_begin(c->server, level);
        if (!p->begins[i])
            return false;
    }
    return true;
}

/* An execution of a weak level may be one that no clock shows. */
static void say_if_inexact(struct playing *p)
{
    if (p->play.is_exact || p->is_unplayed)
        return;
    begin_saying(p);
    esse_out_text(&p->said, "in no order of its steps does each read return what was committed "
                            "last: played one transaction after the other");
}

static void play_in(struct playing *p, const char *database, struct esse_confirmed *confirmed)
{
    struct esse_talk *talk = open_session(p, database);
    bool is_ready = talk && !p->is_unplayed && set_up(p, talk);
    const uint32_t count = p->play.program->session_count;
    for (uint32_t s = 0; is_ready && s < count; s++) {
        p->seats[s].talk = open_session(p, database);
        is_ready = !p->is_unplayed;
    }
    confirmed->is = ESSE_UNPLAYED;
    if (is_ready) {
        say_if_inexact(p);
        play_actions(p);
        const bool is_broken = is_broken_there(p, talk);
        confirmed->is = p->is_unplayed ? ESSE_UNPLAYED : is_broken ? ESSE_CONFIRMED : ESSE_REFUSED;
    }
    for (uint32_t s = 0; s < count; s++)
        if (p->seats[s].talk)
            esse_talk_close(p->seats[s].talk);
    if (talk)
        esse_talk_close(talk);
}

void esse_confirming_play(struct esse_confirming *c, struct esse_arena *arena,
                          const struct esse_broken *broken, enum esse_axiom axiom,
                          struct esse_confirmed *confirmed)
{
    struct playing *p = esse_arena_zeros(arena, 1, struct playing);
    struct esse_talk_answer answer;
    p->confirming = c;
    p->arena = arena;
    p->execution = broken->shortest;
    esse_play_make(arena, broken->shortest, broken->claim, &p->play);
    p->is_done = esse_arena_zeros(arena, p->play.action_count, bool);
    esse_out_init_memory(&p->said, arena);
    if (!set_levels(p, axiom)) {
        *confirmed = (struct esse_confirmed){ ESSE_NO_SUCH_LEVEL, "" };
        return;
    }
    const char *database = esse_arena_format(arena, "play%u", ++c->played);
    esse_talk_ask(c->admin, esse_arena_format(arena, "CREATE DATABASE %s", database), &answer);
    if (fails(p, "CREATE DATABASE", &answer))
        confirmed->is = ESSE_UNPLAYED;
    else
        play_in(p, database, confirmed);
    confirmed->text = esse_out_memory(&p->said);
}

/* ---- the server ---- */

static bool find_server(struct esse_arena *arena, const char *text, struct esse_confirming *c,
                        struct esse_error *err)
{
    const size_t length = strcspn(text, "/");
    enum esse_level_id level;
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
        if (strlen(servers[i].name) == length && memcmp(servers[i].name, text, length) == 0) {
            c->talker = servers[i].talker;
            c->server = servers[i].server;
        }
    if (!c->talker)
        return esse_fail(err, ESSE_EUSAGE, "--confirm: found '%s', expected postgresql or mariadb",
                         esse_arena_text(arena, text, length));
    c->has_level = text[length] == '/';
    if (c->has_level && !esse_explore_level(text + length + 1, &level, err))
        return false;
    if (c->has_level)
        c->level = esse_axiom_of(level);
    return true;
}

bool esse_confirming_start(struct esse_arena *arena, const char *server,
                           struct esse_confirming **out, struct esse_error *err)
{
    struct esse_confirming *c = esse_arena_zeros(arena, 1, struct esse_confirming);
    if (!find_server(arena, server, c, err) ||
        !esse_spawn_start(arena, esse_spawner_find(c->talker->name), 0, false, &c->spawned, err))
        return false;
    if (!esse_url_parse(arena, c->spawned->url, &c->url, err) ||
        !(c->admin = esse_talk_open(arena, c->talker, &c->url, NULL, err))) {
        esse_spawn_stop(c->spawned);
        return false;
    }
    *out = c;
    return true;
}

void esse_confirming_stop(struct esse_confirming *c)
{
    esse_talk_close(c->admin);
    esse_spawn_stop(c->spawned);
}

const char *esse_confirmation_name(enum esse_confirmation confirmation)
{
    static const char *const names[] = {
        [ESSE_CONFIRMED] = "confirmed",
        [ESSE_REFUSED] = "refused",
        [ESSE_NO_SUCH_LEVEL] = "no such level there",
        [ESSE_UNPLAYED] = "not played",
    };
    return names[confirmation];
}

const char *esse_confirming_server(const struct esse_confirming *c)
{
    return c->talker->name;
}
