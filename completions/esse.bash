# Completion of esse in bash.  Made by 'make docs' from the tables in src/cli: do not edit.

# The names among $1 that the word could become.
_esse_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# The same for the last name of a comma-separated list.
_esse_list() {
    local before=
    [[ $cur == *,* ]] && before=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
}

_esse_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

_esse() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    # bash takes --name=value apart: three words.
    [[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $cur == = ]] && cur=
    if ((COMP_CWORD == 1)); then
        _esse_words 'run collect watch audit check classic shrink explore gen stats levels verify convert sql help --help --version'
        return
    fi
    case ${COMP_WORDS[1]},$prev in
    help,*) _esse_words 'run collect watch audit check classic shrink explore gen stats levels verify convert sql' ;;
    run,--workload | run,-w) _esse_words 'list-append rw-register predicate bank long-fork write-skew blindw-rh blindw-rw blindw-wh blindw-pred smallbank ycsb-a ycsb-b ycsb-f rmw heavy-write twitter rubis tpcc sql all' ;;
    run,--sessions | run,-s) : ;;
    run,--txns | run,-n) : ;;
    run,--duration | run,-d) : ;;
    run,--isolation | run,-i) : ;;
    run,--ops) : ;;
    run,--keys) : ;;
    run,--max-writes-per-key) : ;;
    run,--distribution) _esse_words 'uniform zipf' ;;
    run,--zipf-theta) : ;;
    run,--read-share) : ;;
    run,--predicate-share) : ;;
    run,--abort-share) : ;;
    run,--think) : ;;
    run,--timeout) : ;;
    run,--patience) : ;;
    run,--threads) : ;;
    run,--seed) : ;;
    run,--profile) : ;;
    run,--spawn) _esse_words 'postgresql mariadb galera etcd' ;;
    run,--nodes) : ;;
    run,--faults) _esse_list 'kill pause partition restart' ;;
    run,--fault-every) : ;;
    run,--out | run,-o) _esse_files ;;
    run,--repeat) : ;;
    run,--level | run,-l) _esse_list 'strict-serializable strong-snapshot-isolation strong-read-committed strong-read-uncommitted strong-session-serializable strong-session-snapshot-isolation strong-session-read-committed strong-session-read-uncommitted serializable repeatable-read snapshot-isolation parallel-snapshot-isolation prefix update-atomic causal-cerone read-atomic axiomatic-read-committed monotonic-atomic-view update-serializable forward-consistent-view consistent-view monotonic-view cursor-stability monotonic-snapshot-read read-committed read-uncommitted view-serializable session-serializable 1SR linearizable sequential causal PRAM writes-follow-reads monotonic-reads monotonic-writes read-your-writes' ;;
    run,--budget | run,-b) : ;;
    run,--memory | run,-m) : ;;
    run,--min-committed) : ;;
    run,--fail-on) _esse_words 'violated unknown' ;;
    collect,--workload | collect,-w) _esse_words 'list-append rw-register predicate bank long-fork write-skew blindw-rh blindw-rw blindw-wh blindw-pred smallbank ycsb-a ycsb-b ycsb-f rmw heavy-write twitter rubis tpcc sql all' ;;
    collect,--sessions | collect,-s) : ;;
    collect,--txns | collect,-n) : ;;
    collect,--duration | collect,-d) : ;;
    collect,--isolation | collect,-i) : ;;
    collect,--ops) : ;;
    collect,--keys) : ;;
    collect,--max-writes-per-key) : ;;
    collect,--distribution) _esse_words 'uniform zipf' ;;
    collect,--zipf-theta) : ;;
    collect,--read-share) : ;;
    collect,--predicate-share) : ;;
    collect,--abort-share) : ;;
    collect,--think) : ;;
    collect,--timeout) : ;;
    collect,--patience) : ;;
    collect,--threads) : ;;
    collect,--seed) : ;;
    collect,--profile) : ;;
    collect,--spawn) _esse_words 'postgresql mariadb galera etcd' ;;
    collect,--nodes) : ;;
    collect,--faults) _esse_list 'kill pause partition restart' ;;
    collect,--fault-every) : ;;
    collect,--out | collect,-o) _esse_files ;;
    collect,--repeat) : ;;
    watch,--profile | watch,-p) : ;;
    watch,--resolution) : ;;
    watch,--skew) : ;;
    watch,--lateness) : ;;
    watch,--level | watch,-l) _esse_words 'strict-serializable strong-snapshot-isolation strong-read-committed strong-read-uncommitted strong-session-serializable strong-session-snapshot-isolation strong-session-read-committed strong-session-read-uncommitted serializable repeatable-read snapshot-isolation parallel-snapshot-isolation prefix update-atomic causal-cerone read-atomic axiomatic-read-committed monotonic-atomic-view update-serializable forward-consistent-view consistent-view monotonic-view cursor-stability monotonic-snapshot-read read-committed read-uncommitted view-serializable session-serializable 1SR linearizable sequential causal PRAM writes-follow-reads monotonic-reads monotonic-writes read-your-writes' ;;
    watch,--windows) : ;;
    watch,--fail-on) _esse_words 'mechanism level' ;;
    watch,--out | watch,-o) _esse_files ;;
    watch,--keep) : ;;
    watch,--workload | watch,-w) _esse_words 'list-append rw-register predicate bank long-fork write-skew blindw-rh blindw-rw blindw-wh blindw-pred smallbank ycsb-a ycsb-b ycsb-f rmw heavy-write twitter rubis tpcc sql all' ;;
    watch,--sessions | watch,-s) : ;;
    watch,--txns | watch,-n) : ;;
    watch,--duration | watch,-d) : ;;
    watch,--isolation | watch,-i) : ;;
    watch,--ops) : ;;
    watch,--keys) : ;;
    watch,--max-writes-per-key) : ;;
    watch,--distribution) _esse_words 'uniform zipf' ;;
    watch,--zipf-theta) : ;;
    watch,--read-share) : ;;
    watch,--predicate-share) : ;;
    watch,--abort-share) : ;;
    watch,--think) : ;;
    watch,--timeout) : ;;
    watch,--patience) : ;;
    watch,--threads) : ;;
    watch,--seed) : ;;
    watch,--spawn) _esse_words 'postgresql mariadb galera etcd' ;;
    watch,--nodes) : ;;
    watch,--faults) _esse_list 'kill pause partition restart' ;;
    watch,--fault-every) : ;;
    watch,--format | watch,-f) : ;;
    audit,--level | audit,-l) _esse_list 'serializable strict-serializable snapshot-isolation strong-snapshot-isolation monotonic-snapshot-read read-committed' ;;
    audit,--order-by) _esse_words 'order commit_ts end timestamps' ;;
    audit,--write-conflicts) _esse_words 'versions values' ;;
    audit,--budget | audit,-b) : ;;
    audit,--memory | audit,-m) : ;;
    check,--level | check,-l) _esse_list 'strict-serializable strong-snapshot-isolation strong-read-committed strong-read-uncommitted strong-session-serializable strong-session-snapshot-isolation strong-session-read-committed strong-session-read-uncommitted serializable repeatable-read snapshot-isolation parallel-snapshot-isolation prefix update-atomic causal-cerone read-atomic axiomatic-read-committed monotonic-atomic-view update-serializable forward-consistent-view consistent-view monotonic-view cursor-stability monotonic-snapshot-read read-committed read-uncommitted view-serializable session-serializable 1SR linearizable sequential causal PRAM writes-follow-reads monotonic-reads monotonic-writes read-your-writes' ;;
    check,--anomalies | check,-a) : ;;
    check,--except) : ;;
    check,--engine | check,-e) _esse_words 'scan replay serial saturate dsg polygraph' ;;
    check,--budget | check,-b) : ;;
    check,--memory | check,-m) : ;;
    check,--threads) : ;;
    check,--certificate) _esse_files ;;
    check,--order-by) _esse_words 'order commit_ts start_ts' ;;
    check,--version-order-share) : ;;
    check,--seed) : ;;
    check,--min-committed) : ;;
    check,--fail-on) _esse_words 'violated unknown' ;;
    check,--ablate) _esse_list 'estimate schedule lending pruning laziness patience mending closure small-cycles locality nearness layout sweeping aligning supposing' ;;
    check,--format | check,-f) _esse_words 'native jepsen-edn elle-json plume awdit dbcop cobra trace log' ;;
    check,--workload | check,-w) _esse_words 'list-append rw-register closed-predicate' ;;
    check,--evidence) _esse_files ;;
    check,--dot) _esse_files ;;
    check,--svg) _esse_files ;;
    check,--report) _esse_files ;;
    check,--report-limit) : ;;
    check,--junit) _esse_files ;;
    check,--sarif) _esse_files ;;
    check,--markdown) _esse_files ;;
    classic,--accounts | classic,-a) : ;;
    classic,--total | classic,-t) : ;;
    classic,--group-size | classic,-g) : ;;
    classic,--key-count | classic,-k) : ;;
    classic,--min-committed) : ;;
    classic,--fail-on) _esse_words 'violated unknown' ;;
    classic,--format | classic,-f) _esse_words 'jepsen-edn elle-json' ;;
    shrink,--level | shrink,-l) _esse_words 'strict-serializable strong-snapshot-isolation strong-read-committed strong-read-uncommitted strong-session-serializable strong-session-snapshot-isolation strong-session-read-committed strong-session-read-uncommitted serializable repeatable-read snapshot-isolation parallel-snapshot-isolation prefix update-atomic causal-cerone read-atomic axiomatic-read-committed monotonic-atomic-view update-serializable forward-consistent-view consistent-view monotonic-view cursor-stability monotonic-snapshot-read read-committed read-uncommitted view-serializable session-serializable 1SR linearizable sequential causal PRAM writes-follow-reads monotonic-reads monotonic-writes read-your-writes' ;;
    shrink,--anomaly | shrink,-a) _esse_words 'help G0 G1a G1b G1c G-single G-single-item G-nonadjacent G-nonadjacent-item G2-item G2 G0-process G0-realtime G1c-process G1c-realtime G-single-process G-single-item-process G-single-realtime G-single-item-realtime G-nonadjacent-process G-nonadjacent-item-process G-nonadjacent-realtime G-nonadjacent-item-realtime G2-item-process G2-item-realtime G2-process G2-realtime write-skew lost-update lost-commit internal future-read garbage-read duplicate-elements incompatible-order dirty-update duplicate-write cyclic-versions fractured-read causality long-fork phantom predicate-read-miss result-set-mismatch own-write-missed axiomatic-read-committed-cycle monotonic-atomic-view-cycle read-atomic-cycle update-atomic-cycle causal-cerone-cycle causal-cycle prefix-cycle parallel-snapshot-isolation-cycle PRAM-cycle read-your-writes-cycle monotonic-reads-cycle monotonic-writes-cycle writes-follow-reads-cycle serializable-no-order repeatable-read-no-order snapshot-isolation-no-order consistent-view-no-order prefix-no-order parallel-snapshot-isolation-no-order causal-cerone-no-order read-atomic-no-order strong-session-serializable-no-order strong-session-snapshot-isolation-no-order strict-serializable-no-order strong-snapshot-isolation-no-order order-mismatch order-mismatch-process order-mismatch-realtime snapshot-mismatch snapshot-mismatch-process snapshot-mismatch-realtime GSIa GSIb GSI G1 G1-process G1-realtime G-cursor G-monotonic G-MSR G-update G-SI G-SIb' ;;
    shrink,--out | shrink,-o) _esse_files ;;
    shrink,--to | shrink,-t) _esse_words 'native jepsen-edn plume dbcop cobra trace' ;;
    shrink,--budget | shrink,-b) : ;;
    shrink,--memory | shrink,-m) : ;;
    shrink,--certificate) _esse_files ;;
    shrink,--format | shrink,-f) _esse_words 'native jepsen-edn elle-json plume awdit dbcop cobra trace log' ;;
    shrink,--workload | shrink,-w) _esse_words 'list-append rw-register closed-predicate' ;;
    explore,--level | explore,-l) _esse_list 'strict-serializable strong-snapshot-isolation strong-read-committed strong-read-uncommitted strong-session-serializable strong-session-snapshot-isolation strong-session-read-committed strong-session-read-uncommitted serializable repeatable-read snapshot-isolation parallel-snapshot-isolation prefix update-atomic causal-cerone read-atomic axiomatic-read-committed monotonic-atomic-view update-serializable forward-consistent-view consistent-view monotonic-view cursor-stability monotonic-snapshot-read read-committed read-uncommitted view-serializable session-serializable 1SR linearizable sequential causal PRAM writes-follow-reads monotonic-reads monotonic-writes read-your-writes' ;;
    explore,--compare) : ;;
    explore,--show) : ;;
    explore,--list) _esse_files ;;
    explore,--algorithm) _esse_words 'swapping true dfs' ;;
    explore,--tables) _esse_words 'keys set' ;;
    explore,--max-histories) : ;;
    explore,--budget | explore,-b) : ;;
    explore,--memory | explore,-m) : ;;
    explore,--threads) : ;;
    explore,--svg) _esse_files ;;
    explore,--report) _esse_files ;;
    explore,--repro) _esse_files ;;
    explore,--confirm) : ;;
    gen,--txns | gen,-n) : ;;
    gen,--ops) : ;;
    gen,--ops-spread) : ;;
    gen,--keys) : ;;
    gen,--max-writes-per-key) : ;;
    gen,--sessions) : ;;
    gen,--seed) : ;;
    gen,--level) _esse_words 'read-uncommitted read-committed snapshot-isolation serializable strict-serializable' ;;
    gen,--anomaly) _esse_list 'help G0 G1a G1b G1c G-single G-single-item G-nonadjacent G-nonadjacent-item G2-item G2 G0-process G0-realtime G1c-process G1c-realtime G-single-process G-single-item-process G-single-realtime G-single-item-realtime G-nonadjacent-process G-nonadjacent-item-process G-nonadjacent-realtime G-nonadjacent-item-realtime G2-item-process G2-item-realtime G2-process G2-realtime write-skew lost-update lost-commit internal future-read garbage-read duplicate-elements incompatible-order dirty-update duplicate-write cyclic-versions fractured-read causality long-fork phantom predicate-read-miss result-set-mismatch own-write-missed axiomatic-read-committed-cycle monotonic-atomic-view-cycle read-atomic-cycle update-atomic-cycle causal-cerone-cycle causal-cycle prefix-cycle parallel-snapshot-isolation-cycle PRAM-cycle read-your-writes-cycle monotonic-reads-cycle monotonic-writes-cycle writes-follow-reads-cycle serializable-no-order repeatable-read-no-order snapshot-isolation-no-order consistent-view-no-order prefix-no-order parallel-snapshot-isolation-no-order causal-cerone-no-order read-atomic-no-order strong-session-serializable-no-order strong-session-snapshot-isolation-no-order strict-serializable-no-order strong-snapshot-isolation-no-order order-mismatch order-mismatch-process order-mismatch-realtime snapshot-mismatch snapshot-mismatch-process snapshot-mismatch-realtime GSIa GSIb GSI G1 G1-process G1-realtime G-cursor G-monotonic G-MSR G-update G-SI G-SIb' ;;
    gen,--certify) _esse_words 'timestamps commit-order postgresql-snapshots' ;;
    gen,--distribution) _esse_words 'uniform zipf' ;;
    gen,--zipf-theta) : ;;
    gen,--read-share) : ;;
    gen,--values) : ;;
    gen,--rmw-share) : ;;
    gen,--predicate-share) : ;;
    gen,--aggregate-share) : ;;
    gen,--rows-matching) : ;;
    gen,--delete-share) : ;;
    gen,--abort-share) : ;;
    gen,--crash-share) : ;;
    gen,--stale-share) : ;;
    gen,--format) _esse_words 'native jepsen-edn plume dbcop cobra trace' ;;
    gen,--output | gen,-o) _esse_files ;;
    stats,--certificate) _esse_files ;;
    stats,--format | stats,-f) _esse_words 'native jepsen-edn elle-json plume awdit dbcop cobra trace log' ;;
    stats,--workload | stats,-w) _esse_words 'list-append rw-register closed-predicate' ;;
    levels,--output | levels,-o) _esse_files ;;
    verify,--certificate) _esse_files ;;
    verify,--format | verify,-f) _esse_words 'native jepsen-edn elle-json plume awdit dbcop cobra trace log' ;;
    verify,--workload | verify,-w) _esse_words 'list-append rw-register closed-predicate' ;;
    convert,--format | convert,-f) _esse_words 'native jepsen-edn elle-json plume awdit dbcop cobra trace log' ;;
    convert,--to | convert,-t) _esse_words 'native jepsen-edn plume dbcop cobra trace' ;;
    convert,--workload | convert,-w) _esse_words 'list-append rw-register closed-predicate' ;;
    sql,--dialect | sql,-d) _esse_words 'postgresql mysql' ;;
    *) _esse_command ;;
    esac
}

# Where no value of an option is due.
_esse_command() {
    case ${COMP_WORDS[1]},$prev,$cur in
    run,*,-*) _esse_words '--workload --sessions --txns --duration --isolation --ops --keys --max-writes-per-key --distribution --zipf-theta --read-share --predicate-share --abort-share --think --timeout --patience --threads --seed --no-certificate --trace --watch --profile --spawn --nodes --faults --fault-every --out --repeat --quiet --until-violation --level --wfr-keys --sequential-keys --linearizable-keys --budget --memory --min-committed --fail-on --json --plain --verbose --help' ;;
    run,*) _esse_files ;;
    collect,*,-*) _esse_words '--workload --sessions --txns --duration --isolation --ops --keys --max-writes-per-key --distribution --zipf-theta --read-share --predicate-share --abort-share --think --timeout --patience --threads --seed --no-certificate --trace --watch --profile --spawn --nodes --faults --fault-every --out --repeat --quiet --measure-recording --help' ;;
    collect,*) _esse_files ;;
    watch,*,-*) _esse_words '--profile --resolution --skew --lateness --exclusive --level --windows --no-windows --fail-on --no-joint --out --keep --follow --stop --workload --sessions --txns --duration --isolation --ops --keys --max-writes-per-key --distribution --zipf-theta --read-share --predicate-share --abort-share --think --timeout --patience --threads --seed --spawn --nodes --faults --fault-every --format --json --quiet --help' ;;
    watch,*) _esse_files ;;
    audit,*,-*) _esse_words '--level --order-by --write-conflicts --budget --memory --json --quiet --help' ;;
    audit,*) _esse_files ;;
    check,*,-*) _esse_words '--level --anomalies --except --wfr-keys --sequential-keys --linearizable-keys --engine --budget --memory --threads --certificate --transaction-order --order-by --stream --no-session-order --no-version-order --version-order-share --seed --min-committed --fail-on --explain-plan --ablate --format --workload --salvage --json --plain --evidence --dot --svg --report --report-limit --junit --sarif --markdown --verbose --quiet --help' ;;
    check,*) _esse_files ;;
    classic,*,-*) _esse_words '--accounts --total --negative-balances --linearizable --group-size --key-count --independent --min-committed --fail-on --format --json --quiet --help' ;;
    classic,*) _esse_files ;;
    shrink,*,-*) _esse_words '--level --anomaly --wfr-keys --sequential-keys --linearizable-keys --out --to --lossy --budget --memory --certificate --transaction-order --format --workload --quiet --help' ;;
    shrink,*) _esse_files ;;
    explore,*,-*) _esse_words '--level --find-level --compare --show --count --list --algorithm --tables --no-cuts --max-histories --budget --memory --threads --svg --report --repro --confirm --json --verbose --quiet --help' ;;
    explore,*) _esse_files ;;
    gen,*,-*) _esse_words '--txns --ops --ops-spread --keys --max-writes-per-key --sessions --seed --level --anomaly --certificate --certify --vsets --distribution --zipf-theta --read-share --values --rmw-share --pure --predicate-share --aggregate-share --rows-matching --delete-share --abort-share --crash-share --stale-share --drop-aborted --by-session --times --no-times --op-times --server-times --one-timestamp --format --output --quiet --help' ;;
    gen,*) _esse_words 'list-append rw-register predicate bank long-fork write-skew blindw-rh blindw-rw blindw-wh blindw-pred smallbank ycsb-a ycsb-b ycsb-f rmw heavy-write twitter rubis tpcc' ;;
    stats,*,-*) _esse_words '--certificate --transaction-order --format --workload --json --quiet --help' ;;
    stats,*) _esse_files ;;
    levels,*,-*) _esse_words '--json --dot --svg --output --help' ;;
    levels,*) _esse_words 'strict-serializable strong-snapshot-isolation strong-read-committed strong-read-uncommitted strong-session-serializable strong-session-snapshot-isolation strong-session-read-committed strong-session-read-uncommitted serializable repeatable-read snapshot-isolation parallel-snapshot-isolation prefix update-atomic causal-cerone read-atomic axiomatic-read-committed monotonic-atomic-view update-serializable forward-consistent-view consistent-view monotonic-view cursor-stability monotonic-snapshot-read read-committed read-uncommitted view-serializable session-serializable 1SR linearizable sequential causal PRAM writes-follow-reads monotonic-reads monotonic-writes read-your-writes G1a G1b garbage-read internal own-write-missed future-read duplicate-elements duplicate-write incompatible-order cyclic-versions dirty-update lost-update lost-commit predicate-read-miss result-set-mismatch G0 G1c G-single-item G-single G-nonadjacent-item G-nonadjacent G2-item G2 G0-process G1c-process G-single-item-process G-single-process G-nonadjacent-item-process G-nonadjacent-process G2-item-process G2-process G0-realtime G1c-realtime G-single-item-realtime G-single-realtime G-nonadjacent-item-realtime G-nonadjacent-realtime G2-item-realtime G2-realtime axiomatic-read-committed-cycle monotonic-atomic-view-cycle read-atomic-cycle causal-cerone-cycle causal-cycle PRAM-cycle read-your-writes-cycle monotonic-reads-cycle monotonic-writes-cycle writes-follow-reads-cycle prefix-cycle parallel-snapshot-isolation-cycle update-atomic-cycle strict-serializable-no-order strong-session-serializable-no-order serializable-no-order strong-snapshot-isolation-no-order strong-session-snapshot-isolation-no-order snapshot-isolation-no-order repeatable-read-no-order prefix-no-order parallel-snapshot-isolation-no-order consistent-view-no-order causal-cerone-no-order read-atomic-no-order order-mismatch order-mismatch-process order-mismatch-realtime snapshot-mismatch snapshot-mismatch-process snapshot-mismatch-realtime G1 G1-process G1-realtime write-skew G-cursor G-monotonic G-MSR G-update G-SI G-SIb GSI GSIa GSIb' ;;
    verify,*,-*) _esse_words '--certificate --transaction-order --format --workload --quiet --help' ;;
    verify,*) _esse_files ;;
    convert,*,-*) _esse_words '--format --to --workload --lossy --quiet --help' ;;
    convert,*) _esse_files ;;
    sql,*,-*) _esse_words '--dialect --json --keep-going --help' ;;
    sql,*) _esse_files ;;
    esac
}

complete -F _esse esse
