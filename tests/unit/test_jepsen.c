#include "formats/stream.h"
#include "jepsen_reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void reads(const char *text, const char *expected)
{
    struct esse_arena *arena = esse_arena_new();
    assert_string_equal(dump(arena, good(arena, text)), expected);
    esse_arena_free(arena);
}

static void fails_as(enum esse_workload asked, const char *text, const char *expected)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_error err = { 0 };
    char message[600];
    const struct esse_format *format = esse_format_elle_json.sniff(text, text + strlen(text))
                                           ? &esse_format_elle_json
                                           : &esse_format_jepsen_edn;
    assert_null(read_text(arena, text, format, asked, &err));
    assert_int_equal(err.code, ESSE_EINPUT);
    snprintf(message, sizeof message, "%d:%d: %s", (int)err.line, (int)err.column, err.text);
    assert_string_equal(message, expected);
    esse_arena_free(arena);
}

static void fails(const char *text, const char *expected)
{
    fails_as(ESSE_WORKLOAD_ANY, text, expected);
}

/* The history has exactly one warning, this one, this often. */
static void warns(const char *text, const char *warning, uint64_t count, uint64_t line)
{
    struct esse_arena *arena = esse_arena_new();
    struct esse_history *history = good(arena, text);
    bool found = false;
    for (uint32_t i = 0; i < history->warning_count; i++) {
        if (!strstr(history->warnings[i].text, warning))
            continue;
        found = true;
        assert_int_equal(history->warnings[i].count, count);
        assert_int_equal(history->warnings[i].first_line, line);
    }
    assert_true(found);
    esse_arena_free(arena);
}

static enum esse_workload workload_of(const char *text)
{
    struct esse_arena *arena = esse_arena_new();
    enum esse_workload workload = good(arena, text)->workload;
    esse_arena_free(arena);
    return workload;
}

/* ---- shapes of a file ---- */

#define ONE_OP  "{:type :ok, :process 0, :value [[:append :x 1]]}"
#define ONE_TXN "0/0 ok -..0: a :x 1\n"

static void test_jepsen__a_file_is_a_stream_a_vector_or_a_list(void **state)
{
    (void)state;
    reads(ONE_OP, ONE_TXN);
    reads("[" ONE_OP "]", ONE_TXN);
    reads(" ( ; all of it\n" ONE_OP "\n) ", ONE_TXN);
    reads("\xef\xbb\xbf[" ONE_OP ",]", ONE_TXN);
    reads("#jepsen.history.Op" ONE_OP, ONE_TXN);
    reads("#_{:not [even an op]} ^:meta " ONE_OP " ; end", ONE_TXN);
    reads("", "");
    reads("[]", "");
    reads(" ; nothing\n", "");
    fails("[" ONE_OP, "1:50: found end of file, expected an operation or ']'; the vector began at "
                      "1:1");
    fails("[" ONE_OP "] " ONE_OP, "1:52: found '{', expected nothing after the history");
    fails(ONE_OP " [" ONE_OP "]",
          "1:50: found '[', expected an operation map like {:type :ok, ...}");
    fails("5", "1:1: found '5', expected an operation map like {:type :ok, ...}");
}

static void test_jepsen__members_may_come_in_any_order(void **state)
{
    (void)state;
    reads("{:value [[:w 1 2]], :f :txn, :time 7, :process 3, :index 4, :type :invoke}\n"
          "{:index 5 :process 3 :value [[:w 1 2]] :time 9 :type :ok :f :txn}",
          "3/5 ok 4..5 (7..9): w 1 2\n");
}

static void test_jepsen__lists_strings_and_symbols_stand_for_vectors_and_keywords(void **state)
{
    (void)state;
    reads("{:type \"ok\", :process 0, :value ((:append 1 2) (\"r\" 1 (2)) [append 1 3])}",
          "0/0 ok -..0: a 1 2 r 1 (2) a 1 3\n");
    reads("{:type ok, :process 0, :value #my.Txn [[:r 1 [2]]]}", "0/0 ok -..0: r 1 (2)\n");
}

static void test_jepsen__keys_and_elements_may_be_anything(void **state)
{
    (void)state;
    reads(
        "{:type :ok, :process 0, :value [[:append [1 \"k\"] {:a 1}] [:r \"\" [nil :e 1.50 #{1}]]]}",
        "0/0 ok -..0: a [1 \"k\"] {:a 1} r \"\" (nil :e 1.5 #{1})\n");
    reads("{:type :ok, :process 0, :value [[:append 9223372036854775807 -9223372036854775808] "
          "[:r 9223372036854775808 [1152921504606846976 12345678 0]]]}",
          "0/0 ok -..0: a 9223372036854775807 -9223372036854775808 r 9223372036854775808 "
          "(1152921504606846976 12345678 0)\n");
}

static void test_jepsen__vectors_in_registers_are_values(void **state)
{
    (void)state;
    reads("{:type :ok, :process 0, :value [[:w :x [1 2]] [:r :x [1 2]] [:r :x (1 2)]]}",
          "0/0 ok -..0: w :x [1 2] r :x [1 2] r :x [1 2]\n");
}

/* ---- pairing ---- */

static void test_jepsen__a_completion_belongs_to_the_last_invocation_of_its_process(void **state)
{
    (void)state;
    reads("{:type :invoke, :process 0, :value [[:append 1 1]]}\n"
          "{:type :invoke, :process 1, :value [[:append 1 2]]}\n"
          "{:type :fail, :process 1, :value [[:append 1 2]]}\n"
          "{:type :ok, :process 0, :value [[:append 1 1]]}\n",
          "1/2 fail 1..2: a 1 2\n"
          "0/3 ok 0..3: a 1 1\n");
}

static void test_jepsen__an_unfinished_invoke_has_unknown_outcome(void **state)
{
    (void)state;
    reads("{:index 3, :time 30, :type :invoke, :process 9, :f :txn, :value [[:r 1 nil] [:append 1 "
          "1]]}\n"
          "{:index 5, :time 31, :type :invoke, :process 2, :f :txn, :value [[:append 1 2] [:r 2 "
          "[7]]]}\n"
          "{:index 6, :time 40, :type :invoke, :process 4, :f :txn, :value [[:append 1 3]]}\n"
          "{:index 8, :time 50, :type :ok, :process 4, :f :txn, :value [[:append 1 3]]}\n",
          "4/8 ok 6..8 (40..50): a 1 3\n"
          "9/3 info 3..- (30..-): r 1 ? a 1 1\n"
          "2/5 info 5..- (31..-): a 1 2 r 2 ?\n");
}

static void test_jepsen__an_info_without_value_has_the_operations_of_its_invocation(void **state)
{
    (void)state;
    reads("{:type :invoke, :process 0, :value [[:append 1 1] [:r 1 nil]]}\n"
          "{:type :info, :process 0, :value nil, :error :timeout}\n"
          "{:type :invoke, :process 1, :value [[:append 1 2] [:r 1 nil]]}\n"
          "{:type :fail, :process 1}\n"
          "{:type :invoke, :process 2, :value [[:append 1 3] [:r 1 nil]]}\n"
          "{:type :info, :process 2, :value :timed-out}\n",
          "0/1 info 0..1: a 1 1 r 1 ?; :error :timeout\n"
          "1/3 fail 2..3: a 1 2 r 1 ?\n"
          "2/5 info 4..5: a 1 3 r 1 ?\n");
}

static void test_jepsen__nil_is_a_result_only_if_committed(void **state)
{
    (void)state;
    reads("{:type :ok, :process 0, :value [[:r 1 nil] [:r 2] [:r 3 []]]}\n"
          "{:type :info, :process 1, :value [[:r 1 nil] [:r 2] [:r 3 [4]]]}\n"
          "{:type :fail, :process 2, :value [[:r 1 nil] [:r 2] [:append 3 4]]}\n",
          "0/0 ok -..0: r 1 nil r 2 nil r 3 ()\n"
          "1/1 info -..1: r 1 ? r 2 ? r 3 (4)\n"
          "2/2 fail -..2: r 1 ? r 2 ? a 3 4\n");
}

static void test_jepsen__zero_and_false_are_results(void **state)
{
    (void)state;
    reads("{:type :ok, :process 0, :value [[:r 1 0] [:r 2 false] [:r 3 a-symbol]]}\n"
          "{:type :info, :process 1, :value [[:r 1 0] [:r 2 false] [:r 3 a-symbol]]}\n",
          "0/0 ok -..0: r 1 0 r 2 false r 3 a-symbol\n"
          "1/1 info -..1: r 1 0 r 2 false r 3 a-symbol\n");
}

static void test_jepsen__an_ok_without_value_read_nobody_knows_what(void **state)
{
    (void)state;
    const char *text = "{:type :invoke, :process 0, :value [[:append 1 1] [:r 1 nil]]}\n"
                       "{:type :ok, :process 0, :value nil}\n";
    reads(text, "0/1 ok 0..1: a 1 1 r 1 ?\n");
    warns(text, "what they read is not known", 1, 2);
}

static void test_jepsen__completions_need_no_invocation(void **state)
{
    (void)state;
    const char *text = "{:type :ok, :process 0, :value [[:w :x 1]], :index 4}\n"
                       "{:type :ok, :process 0, :value [[:r :x 1]], :index 7}\n";
    reads(text, "0/4 ok -..4: w :x 1\n0/7 ok -..7: r :x 1\n");
    warns(text, "completions without an invocation", 2, 1);
}

static void test_jepsen__a_second_invocation_leaves_the_first_one_open(void **state)
{
    (void)state;
    const char *text = "{:type :invoke, :process 0, :value [[:append 1 1]]}\n"
                       "{:type :invoke, :process 0, :value [[:append 1 2]]}\n"
                       "{:type :ok, :process 0, :value [[:append 1 2]]}\n";
    reads(text, "0/2 ok 1..2: a 1 2\n\"?0\"/0 info 0..-: a 1 1\n");
    warns(text, "a process invoked while an earlier invocation of its was open", 1, 2);
}

static void test_jepsen__completions_go_to_the_earliest_with_the_same_operations(void **state)
{
    (void)state;
    /* In another order; in the order of invocation, where two are alike; without operations. */
    reads("{:type :invoke, :process 0, :value [[:r :x nil] [:w :y 1]]}\n"
          "{:type :invoke, :process 0, :value [[:w :x 2]]}\n"
          "{:type :ok, :process 0, :value [[:w :x 2]]}\n"
          "{:type :ok, :process 0, :value [[:r :x 5] [:w :y 1]]}\n",
          "0/2 ok 1..2: w :x 2\n0/3 ok 0..3: r :x 5 w :y 1\n");
    reads("{:type :invoke, :process 0, :value [[:r :x nil]]}\n"
          "{:type :invoke, :process 0, :value [[:r :x nil]]}\n"
          "{:type :ok, :process 0, :value [[:r :x 1]]}\n"
          "{:type :ok, :process 0, :value [[:r :x 2]]}\n",
          "0/2 ok 0..2: r :x 1\n0/3 ok 1..3: r :x 2\n");
    reads("{:type :invoke, :process 0, :value [[:w :x 1]]}\n"
          "{:type :invoke, :process 0, :value [[:w :x 2]]}\n"
          "{:type :fail, :process 0, :value nil}\n",
          "0/2 fail 0..2: w :x 1\n0/1 info 1..-: w :x 2\n");
}

static void test_jepsen__others_than_clients_are_skipped_and_counted(void **state)
{
    (void)state;
    const char *text = "{:type :info, :process :nemesis, :f :start, :value [[:kill \"n1\"]]}\n"
                       "{:type :info, :f :kill, :value [[:who knows] 5], :process \"nemesis\"}\n"
                       "{:type :ok, :process 0, :value [[:append 1 1]]}\n";
    reads(text, "0/2 ok -..2: a 1 1\n");
    warns(text, "operations of non-client processes were skipped", 2, 1);
}

static void test_jepsen__without_a_process_everyone_is_a_session(void **state)
{
    (void)state;
    const char *text = "{:index 0 :type :invoke :value [[:append 1 1]]}\n"
                       "{:index 1 :type :ok :value [[:append 1 1]]}\n"
                       "{:index 2 :type :ok :process nil :value [[:r 1 [1]]]}\n";
    reads(text, "\"?0\"/1 ok -..1: a 1 1\n\"?1\"/2 ok -..2: r 1 (1)\n");
    warns(text, "without a process were each taken as a session", 2, 2);
    warns(text, "invocations without a process were skipped", 1, 1);
}

static void test_jepsen__other_members_are_kept_as_text(void **state)
{
    (void)state;
    reads("{:type :invoke, :process 0, :value [[:w 1 1]], :node \"n1\", :error :early}\n"
          "{:type :ok, :process 0, :value [[:w 1 1]], :error [:x {:y 1.0}], \"odd\" 5}\n"
          "{:type :ok, :process 1, :value [[:w 1 2]], :debug [1 ; one\n 2]}\n",
          "0/1 ok 0..1: w 1 1; :error [:x {:y 1.0}]; \"odd\" 5; :node \"n1\"\n"
          "1/2 ok -..2: w 1 2; :debug [1 2]\n");
    fails("{:type :ok, :process 0, :value [[:w 1 1]], :a 1, :a 2}",
          "1:50: the operation has member :a twice");
    fails("{:type :ok, :process 0, :type :ok}", "1:25: the operation has member :type twice");
}

static void test_jepsen__indexes_ascend_and_all_have_one(void **state)
{
    (void)state;
    fails("{:index 5, :type :ok, :process 0, :value []}\n{:type :ok, :process 0, :value []}",
          "2:1: the operation has no :index, but the first operation has one");
    fails("{:index 5, :type :ok, :process 0, :value []}\n"
          "{:index 5, :type :ok, :process 0, :value []}",
          "2:1: found :index 5 after :index 5, expected them to ascend");
    reads("{:type :ok, :process 0, :value []}\n{:index 0, :type :ok, :process 0, :value []}",
          "0/0 ok -..0:\n0/1 ok -..1:\n");
    reads("{:index -1, :time -1, :type :ok, :process 0, :value []}", "0/0 ok -..0:\n");
}

/* ---- what is a transaction ---- */

static void test_jepsen__histories_without_transactions_are_refused(void **state)
{
    (void)state;
    fails("{:type :invoke, :process 0, :f :add, :value 3}\n",
          "1:1: no transactions (micro-operations like [:r k v]) found; the first operation is "
          ":add; 'esse classic' checks sets and counters (set, set-full, counter)");
    fails("\n {:type :ok, :process 0, :value {1 2}}",
          "2:2: no transactions (micro-operations like [:r k v]) found; the first operation has no "
          ":f");
    fails("{:type :ok, :process 0, :f :read, :value []}\n",
          "1:1: no transactions (micro-operations like [:r k v]) found; the first operation is "
          ":read");
}

static void test_jepsen__other_operations_beside_transactions_are_skipped(void **state)
{
    (void)state;
    const char *text = "{:type :ok, :process 0, :f :txn, :value [[:r 1 nil]]}\n"
                       "{:type :ok, :process 0, :f :add, :value 3}\n"
                       "{:type :invoke, :process 0, :f :drain, :value [[1 2]]}\n";
    reads(text, "0/0 ok -..0: r 1 nil\n");
    warns(text, "operations that are not transactions were skipped", 2, 2);
}

static void test_jepsen__closed_predicates(void **state)
{
    (void)state;
    reads(
        "{:type :invoke, :process 0, :value {1 0, :y 5}, :f :init}\n"
        "{:type :ok, :process 0, :value {1 0}, :f :init}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:insert 2 7] [:delete 1] [:delete 1 nil] "
        "[:rp :true {2 7, 3 1}] [:rp [:= 7] {2 7}] [:rp [:mod 3 1] {}] [:rp [:= \"it's\"] nil]]}\n"
        "{:type :info, :process 1, :f :txn, :value [[:rp :true nil] [:w 2 8]]}\n",
        "init {1 0}\n"
        "1/2 ok -..2: w 2 7 d 1 d 1 p \"TRUE\" {2 7, 3 1} p \"v = 7\" {2 7} p \"v % 3 = 1\" {} "
        "p \"v = 'it''s'\" {}\n"
        "1/3 info -..3: w 2 8\n");
    fails("{:type :ok, :process 1, :value [[:rp [:> 1] {}]]}",
          "1:38: expected a predicate: :true, [:= v] with an integer or a string, or [:mod m r] "
          "with integers");
    fails("{:type :ok, :process 1, :value [[:rp :true {1 2 1 3}]]}",
          "1:44: the map has key 1 twice");
}

static void test_jepsen__micro_operations_that_mean_nothing(void **state)
{
    (void)state;
    fails("{:type :ok, :process 0, :value [[:r 1 nil] [:cas 1 2 3]]}",
          "1:45: found micro-operation :cas, expected :r, :w, :append, :insert, :delete or :rp");
    fails("{:type :ok, :process 0, :value [[]]}",
          "1:34: found ']', expected a micro-operation's name");
    fails("{:type :ok, :process 0, :value [[:r]]}", "1:36: found ']', expected a key");
    fails("{:type :ok, :process 0, :value [[:w 1]]}", "1:38: found ']', expected a value");
    fails("{:type :ok, :process 0, :value [[:w 1 2 3]]}", "1:41: found 3, expected ']'");
    fails("{:type :ok, :process 0, :value [[:w 1 2] :x]}",
          "1:42: found :x, expected a micro-operation like [:r k v]");
}

/* ---- workloads ---- */

static void test_jepsen__workloads_are_recognised(void **state)
{
    (void)state;
    assert_int_equal(workload_of("{:type :ok :process 0 :value [[:r 1 nil] [:append 1 2]]}"),
                     ESSE_WORKLOAD_LIST_APPEND);
    assert_int_equal(workload_of("{:type :ok :process 0 :value [[:r 1 [1]]]}"),
                     ESSE_WORKLOAD_LIST_APPEND);
    assert_int_equal(workload_of("{:type :ok :process 0 :value [[:w 1 2]]}"),
                     ESSE_WORKLOAD_RW_REGISTER);
    assert_int_equal(workload_of("{:type :ok :process 0 :value [[:w 1 2] [:rp :true {}]]}"),
                     ESSE_WORKLOAD_CLOSED_PREDICATE);
}

static void test_jepsen__workloads_do_not_mix(void **state)
{
    (void)state;
    fails("{:type :ok :process 0 :value [[:w 1 2] [:append 3 4]]}",
          "1:40: found [:append …] in a rw-register history; the two do not mix");
    fails("{:type :ok :process 0 :value [[:append 3 4]]} {:type :ok :process 0 :value [[:w 1 2]]}",
          "1:77: found [:w …] in a list-append history; the two do not mix");
    fails("{:type :ok :process 0 :value [[:append 3 4] [:r 3 5]]}",
          "1:51: found a read of a single value in a list-append history; the two do not mix");
}

static void test_jepsen__a_wrong_workload_is_told_with_a_hint(void **state)
{
    (void)state;
    fails_as(ESSE_WORKLOAD_RW_REGISTER, "{:type :ok :process 0 :value [[:append 3 4]]}",
             "1:31: found [:append …] in a rw-register history; this looks like list-append (use "
             "--workload list-append)");
    fails_as(ESSE_WORKLOAD_LIST_APPEND, "{:type :ok :process 0 :value [[:w 3 4]]}",
             "1:31: found [:w …] in a list-append history; this looks like rw-register (use "
             "--workload rw-register)");
    fails_as(ESSE_WORKLOAD_RW_REGISTER, "{:type :ok :process 0 :value [[:delete 3]]}",
             "1:31: found [:delete …] in a rw-register history; this looks like closed-predicate "
             "(use --workload closed-predicate)");
}

/* ---- Elle's JSON ---- */

static void test_jepsen__elle_json_means_the_same(void **state)
{
    (void)state;
    reads("[{\"type\":\"invoke\",\"process\":0,\"f\":\"txn\",\"value\":[[\"append\",\"x\",1],["
          "\"r\",2,null]]},\n"
          " {\"type\":\"ok\",\"process\":0,\"f\":\"txn\",\"value\":[[\"append\",\"x\",1],[\"r\",2,["
          "3,\"e\"]]],"
          "\"time\":5,\"error\":{\"code\":1.5e3,\"at\\/b\":null},\"a b\":[true]},\n"
          " {\"type\":\"info\",\"process\":\"nemesis\",\"f\":\"kill\",\"value\":[[\"n1\",1.5]]}]\n",
          "0/1 ok 0..1 (-..5): a \"x\" 1 r 2 (3 \"e\"); :error {\"code\" 1.5e3,\"at/b\" nil}; \"a "
          "b\" "
          "[true]\n");
    reads("[]", "");
    fails("[{\"type\":\"ok\",\"process\":0,\"value\":[[\"w\",1,1.5]]}]",
          "1:43: found a number with a fraction or exponent, expected an integer");
    fails("[{\"type\":\"ok\",\"process\":0,\"value\":[[\"cas\",1,2]]}]",
          "1:37: found micro-operation \"cas\", expected \"r\", \"w\" or \"append\"");
    fails("[{\"type\":\"done\",\"process\":0}]",
          "1:10: found type \"done\", expected \"invoke\", \"ok\", \"fail\" or \"info\"");
    fails("[{\"type\":\"ok\"} {\"type\":\"ok\"}]", "1:16: found '{', expected ',' or ']'");
    fails("[{\"type\":\"ok\",\"process\":0,\"value\":[]}",
          "1:38: found end of file, expected ',' or ']'");
}

/* ---- windows ---- */

/* Reads the same bytes through a window that starts at 'room' bytes. */
static const char *read_through(struct esse_arena *arena, const char *path, size_t room,
                                const struct esse_format *format)
{
    struct esse_source source = { .arena = arena, .path = path, .room = room };
    struct esse_error err = { 0 };
    assert_true(esse_stream_open(arena, path, NULL, &source.stream, &err));
    source.window = esse_arena_grow(arena, NULL, room + ESSE_SOURCE_SLACK);
    memset(source.window, 0, room + ESSE_SOURCE_SLACK);
    source.at = source.end = source.mark = source.window;
    source.mark_line = source.mark_column = 1;
    struct esse_history *history = read_source(arena, &source, format, ESSE_WORKLOAD_ANY, &err);
    esse_source_close(&source);
    if (!history) {
        struct esse_out out;
        esse_out_init_memory(&out, arena);
        esse_out_f(&out, "%d:%d: %s", (int)err.line, (int)err.column, err.text);
        return esse_out_memory(&out);
    }
    return dump(arena, history);
}

static void same_through_all_windows(const char *text, const struct esse_format *format)
{
    char path[] = "/tmp/esse-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    struct esse_arena *arena = esse_arena_new();
    const char *whole = read_through(arena, path, 1 << 20, format);
    for (size_t room = 1; room < 200; room += room < 40 ? 1 : 7) {
        struct esse_arena *small = esse_arena_new();
        assert_string_equal(read_through(small, path, room, format), whole);
        esse_arena_free(small);
    }
    esse_arena_free(arena);
    unlink(path);
}

static void test_jepsen__windows_may_end_anywhere(void **state)
{
    (void)state;
    same_through_all_windows(
        "; a comment that is longer than some of the windows\n"
        "#_ {:discarded \"form\"} [ #jepsen.history.Op{:index 0, :time 12345678901, :type :invoke, "
        ":process 12, :f :txn, :value [[:append 1234567 12345678] [:r :long-keyword nil]]}\n"
        "{:index 1, :time 12345678902, :type :ok, :process 12, :f :txn, :value [[:append 1234567 "
        "12345678] [:r :long-keyword [1 22 333 4444 55555 666666 7777777 88888888 999999999]]], "
        ":error \"esc \\u00e9 \\\"x\\\" é\" :c \\newline}\n"
        "{:type :ok :index 2 :process :nemesis}, #_1 {:index 3 :type :info :process 7 :value [[:r "
        "1 "
        "(1/2 1.5e10 #inst \"2020\" #{a \\a} {:k true})]]}] ; the end",
        &esse_format_jepsen_edn);
    same_through_all_windows("{:type :ok, :process 0, :value [[:append 1 2]]}\n"
                             "{:type :ok, :process 0, :value [[:append 1 \"\\ud83d\\q\"]]}",
                             &esse_format_jepsen_edn);
    same_through_all_windows("{:type :ok, :process 0, :value [[:append 1 2] [:r 5 [1 2 3",
                             &esse_format_jepsen_edn);
    same_through_all_windows(
        "[ {\"type\" : \"ok\", \"process\":12, \"value\":[[\"append\",1234567,\"long value\"]],"
        "\"error\":\"\\u00e9\"},\n{\"type\":\"ok\",\"process\":3,\"value\":[[\"r\",1,[1,2,333]]]} "
        "]\n",
        &esse_format_elle_json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jepsen__a_file_is_a_stream_a_vector_or_a_list),
        cmocka_unit_test(test_jepsen__members_may_come_in_any_order),
        cmocka_unit_test(test_jepsen__lists_strings_and_symbols_stand_for_vectors_and_keywords),
        cmocka_unit_test(test_jepsen__keys_and_elements_may_be_anything),
        cmocka_unit_test(test_jepsen__vectors_in_registers_are_values),
        cmocka_unit_test(test_jepsen__a_completion_belongs_to_the_last_invocation_of_its_process),
        cmocka_unit_test(test_jepsen__an_unfinished_invoke_has_unknown_outcome),
        cmocka_unit_test(test_jepsen__an_info_without_value_has_the_operations_of_its_invocation),
        cmocka_unit_test(test_jepsen__nil_is_a_result_only_if_committed),
        cmocka_unit_test(test_jepsen__zero_and_false_are_results),
        cmocka_unit_test(test_jepsen__an_ok_without_value_read_nobody_knows_what),
        cmocka_unit_test(test_jepsen__completions_need_no_invocation),
        cmocka_unit_test(test_jepsen__a_second_invocation_leaves_the_first_one_open),
        cmocka_unit_test(test_jepsen__completions_go_to_the_earliest_with_the_same_operations),
        cmocka_unit_test(test_jepsen__others_than_clients_are_skipped_and_counted),
        cmocka_unit_test(test_jepsen__without_a_process_everyone_is_a_session),
        cmocka_unit_test(test_jepsen__other_members_are_kept_as_text),
        cmocka_unit_test(test_jepsen__indexes_ascend_and_all_have_one),
        cmocka_unit_test(test_jepsen__histories_without_transactions_are_refused),
        cmocka_unit_test(test_jepsen__other_operations_beside_transactions_are_skipped),
        cmocka_unit_test(test_jepsen__closed_predicates),
        cmocka_unit_test(test_jepsen__micro_operations_that_mean_nothing),
        cmocka_unit_test(test_jepsen__workloads_are_recognised),
        cmocka_unit_test(test_jepsen__workloads_do_not_mix),
        cmocka_unit_test(test_jepsen__a_wrong_workload_is_told_with_a_hint),
        cmocka_unit_test(test_jepsen__elle_json_means_the_same),
        cmocka_unit_test(test_jepsen__windows_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
