# Completion of esse in fish.  Made by 'make docs' from the tables in src/cli: do not edit.

# Is the command $argv[1]?
function __esse_in
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end

# The names, each behind what the comma-separated list holds already.
function __esse_list
    set -l before (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '[^,]*$' '')
    printf '%s\n' $before$argv
end

complete -c esse -f
complete -c esse -n '__esse_in ""' -s h -l help -d 'list the commands'
complete -c esse -n '__esse_in ""' -l version -d 'show the version'
complete -c esse -n '__esse_in ""' -a help -d 'show the help of a command'

complete -c esse -n '__esse_in ""' -a check -d 'does a recorded history satisfy a level?'
complete -c esse -n '__esse_in help' -a check -d 'does a recorded history satisfy a level?'
complete -c esse -n '__esse_in check' -s l -l level -x -a '(__esse_list strict-serializable strong-snapshot-isolation strong-read-committed strong-read-uncommitted strong-session-serializable strong-session-snapshot-isolation strong-session-read-committed strong-session-read-uncommitted serializable repeatable-read snapshot-isolation parallel-snapshot-isolation prefix update-atomic causal-cerone read-atomic axiomatic-read-committed monotonic-atomic-view update-serializable forward-consistent-view consistent-view monotonic-view cursor-stability monotonic-snapshot-read read-committed read-uncommitted view-serializable session-serializable 1SR linearizable sequential causal PRAM writes-follow-reads monotonic-reads monotonic-writes read-your-writes)' -d 'the levels to check (default strict-serializable), or all; \'esse levels\' lists them'
complete -c esse -n '__esse_in check' -s e -l engine -x -a 'scan dsg' -d 'the engine to use instead of the planner\'s'
complete -c esse -n '__esse_in check' -s b -l budget -x -d 'give up after this time, with the verdict unknown'
complete -c esse -n '__esse_in check' -s m -l memory -x -d 'give up when more memory is needed, with the verdict unknown'
complete -c esse -n '__esse_in check' -s f -l format -x -a 'native jepsen-edn elle-json' -d 'the input\'s format (default: recognised)'
complete -c esse -n '__esse_in check' -s w -l workload -x -a 'list-append rw-register closed-predicate' -d 'what the operations are (default: recognised)'
complete -c esse -n '__esse_in check' -s j -l json -d 'print one JSON object for each history'
complete -c esse -n '__esse_in check' -l evidence -r -F -d 'write what proves the verdicts, for esse verify'
complete -c esse -n '__esse_in check' -l dot -r -F -d 'write the anomalies\' transactions and dependencies for Graphviz'
complete -c esse -n '__esse_in check' -l svg -r -F -d 'draw the anomalies, for a browser'
complete -c esse -n '__esse_in check' -s v -l verbose -d 'say which engine was chosen and why, and show more occurrences'
complete -c esse -n '__esse_in check' -s q -l quiet -d 'no warnings, no progress line'
complete -c esse -n '__esse_in check' -s h -l help -d 'show help'
complete -c esse -n '__esse_in check' -F

complete -c esse -n '__esse_in ""' -a classic -d 'check Jepsen\'s bank, set, counter and similar workloads'
complete -c esse -n '__esse_in help' -a classic -d 'check Jepsen\'s bank, set, counter and similar workloads'
complete -c esse -n '__esse_in classic' -s a -l accounts -x -d 'the accounts of a bank (default: those of the first read)'
complete -c esse -n '__esse_in classic' -s t -l total -x -d 'the sum of all balances of a bank (default: that of the first read)'
complete -c esse -n '__esse_in classic' -s n -l negative-balances -d 'the balances of a bank may be negative'
complete -c esse -n '__esse_in classic' -l linearizable -d 'for set-full: an element that shows up late is an error too'
complete -c esse -n '__esse_in classic' -s g -l group-size -x -d 'for long-fork: how many keys a read has (default: as the first read)'
complete -c esse -n '__esse_in classic' -s k -l key-count -x -d 'for sequential: how many elements count as all (default: as many as are read)'
complete -c esse -n '__esse_in classic' -s i -l independent -d 'values are [key value]: check every key on its own'
complete -c esse -n '__esse_in classic' -s f -l format -x -a 'jepsen-edn elle-json' -d 'the input\'s format (default: recognised)'
complete -c esse -n '__esse_in classic' -s j -l json -d 'print one JSON object for each history'
complete -c esse -n '__esse_in classic' -s q -l quiet -d 'no warnings, no progress line'
complete -c esse -n '__esse_in classic' -s h -l help -d 'show help'
complete -c esse -n '__esse_in classic' -F

complete -c esse -n '__esse_in ""' -a shrink -d 'the smallest part of a history that still violates a level'
complete -c esse -n '__esse_in help' -a shrink -d 'the smallest part of a history that still violates a level'
complete -c esse -n '__esse_in shrink' -s l -l level -x -a 'strict-serializable strong-snapshot-isolation strong-read-committed strong-read-uncommitted strong-session-serializable strong-session-snapshot-isolation strong-session-read-committed strong-session-read-uncommitted serializable repeatable-read snapshot-isolation parallel-snapshot-isolation prefix update-atomic causal-cerone read-atomic axiomatic-read-committed monotonic-atomic-view update-serializable forward-consistent-view consistent-view monotonic-view cursor-stability monotonic-snapshot-read read-committed read-uncommitted view-serializable session-serializable 1SR linearizable sequential causal PRAM writes-follow-reads monotonic-reads monotonic-writes read-your-writes' -d 'the level that is violated (default strict-serializable)'
complete -c esse -n '__esse_in shrink' -s a -l anomaly -x -a 'help G0 G1a G1b G1c G-single G-single-item G-nonadjacent G-nonadjacent-item G2-item G2 G0-process G0-realtime G1c-process G1c-realtime G-single-process G-single-item-process G-single-realtime G-single-item-realtime G-nonadjacent-process G-nonadjacent-item-process G-nonadjacent-realtime G-nonadjacent-item-realtime G2-item-process G2-item-realtime G2-process G2-realtime write-skew lost-update internal future-read garbage-read duplicate-elements incompatible-order dirty-update duplicate-write cyclic-versions fractured-read causality long-fork phantom predicate-read-miss' -d 'the type of anomaly to keep (default: the worst that is found)'
complete -c esse -n '__esse_in shrink' -s o -l out -r -F -d 'where it goes (default: standard output)'
complete -c esse -n '__esse_in shrink' -s t -l to -x -a 'native jepsen-edn' -d 'the output\'s format (default: by its name, or else the input\'s)'
complete -c esse -n '__esse_in shrink' -l lossy -d 'drop what the output\'s format cannot hold'
complete -c esse -n '__esse_in shrink' -s b -l budget -x -d 'stop after this time with the smallest history so far'
complete -c esse -n '__esse_in shrink' -s m -l memory -x -d 'stop when more memory is needed'
complete -c esse -n '__esse_in shrink' -s f -l format -x -a 'native jepsen-edn elle-json' -d 'the input\'s format (default: recognised)'
complete -c esse -n '__esse_in shrink' -s w -l workload -x -a 'list-append rw-register closed-predicate' -d 'what the operations are (default: recognised)'
complete -c esse -n '__esse_in shrink' -s q -l quiet -d 'no summary, no warnings, no progress line'
complete -c esse -n '__esse_in shrink' -s h -l help -d 'show help'
complete -c esse -n '__esse_in shrink' -F

complete -c esse -n '__esse_in ""' -a gen -d 'make a history, clean or with a planted violation'
complete -c esse -n '__esse_in help' -a gen -d 'make a history, clean or with a planted violation'
complete -c esse -n '__esse_in gen' -s n -l txns -x -d 'transactions (default: 1000)'
complete -c esse -n '__esse_in gen' -l ops -x -d 'operations of a transaction (default: 5)'
complete -c esse -n '__esse_in gen' -l ops-spread -x -d 'up to so many operations more or fewer (default: 0)'
complete -c esse -n '__esse_in gen' -l keys -x -d 'keys in use at one time (default: 100; 1000 rw-register)'
complete -c esse -n '__esse_in gen' -l max-writes-per-key -x -d 'then a fresh key takes the place; 0: never (default: list-append 32, others 0)'
complete -c esse -n '__esse_in gen' -l sessions -x -d 'clients at work (default: 10)'
complete -c esse -n '__esse_in gen' -l seed -x -d 'same seed, same bytes (default: 1)'
complete -c esse -n '__esse_in gen' -l level -x -a 'read-uncommitted read-committed snapshot-isolation serializable strict-serializable' -d 'the isolation that the store gives (default: strict-serializable)'
complete -c esse -n '__esse_in gen' -l anomaly -x -a '(__esse_list help G0 G1a G1b G1c G-single G-single-item G-nonadjacent G-nonadjacent-item G2-item G2 G0-process G0-realtime G1c-process G1c-realtime G-single-process G-single-item-process G-single-realtime G-single-item-realtime G-nonadjacent-process G-nonadjacent-item-process G-nonadjacent-realtime G-nonadjacent-item-realtime G2-item-process G2-item-realtime G2-process G2-realtime write-skew lost-update internal future-read garbage-read duplicate-elements incompatible-order dirty-update duplicate-write cyclic-versions fractured-read causality long-fork phantom predicate-read-miss)' -d 'plant a violation; \'help\' lists them; the position is 0.5, 50% or a number'
complete -c esse -n '__esse_in gen' -l certificate -d 'write the true version orders and serialization order'
complete -c esse -n '__esse_in gen' -l vsets -d 'write the version sets of predicate operations'
complete -c esse -n '__esse_in gen' -l distribution -x -a 'uniform zipf' -d 'of the keys (default: uniform)'
complete -c esse -n '__esse_in gen' -l zipf-theta -x -d 'skew of zipf (default: 0.99)'
complete -c esse -n '__esse_in gen' -l read-share -x -d 'reads among operations (default: 0.5)'
complete -c esse -n '__esse_in gen' -l rmw-share -x -d 'writes that read their key first (default: 0)'
complete -c esse -n '__esse_in gen' -l predicate-share -x -d 'predicates among reads and writes of the predicate workload (default: 0.2)'
complete -c esse -n '__esse_in gen' -l delete-share -x -d 'deletes among other writes of the predicate workload (default: 0.2)'
complete -c esse -n '__esse_in gen' -l abort-share -x -d 'transactions that their client aborts (default: 0)'
complete -c esse -n '__esse_in gen' -l crash-share -x -d 'transactions whose client never learns the outcome (default: 0)'
complete -c esse -n '__esse_in gen' -l stale-share -x -d 'readers at serializable that see the past (default: 0.3)'
complete -c esse -n '__esse_in gen' -l drop-aborted -d 'leave aborted transactions out'
complete -c esse -n '__esse_in gen' -l times -d 'client times of transactions (default: on)'
complete -c esse -n '__esse_in gen' -l no-times -d 'no client times'
complete -c esse -n '__esse_in gen' -l op-times -d 'client times of operations'
complete -c esse -n '__esse_in gen' -l server-times -d 'timestamps of the store: start_ts, commit_ts'
complete -c esse -n '__esse_in gen' -l format -x -a 'native jepsen-edn' -d 'native or jepsen-edn (default: by the output\'s name)'
complete -c esse -n '__esse_in gen' -s o -l output -r -F -d 'where to (default: standard output)'
complete -c esse -n '__esse_in gen' -s q -l quiet -d 'no summary on standard error'
complete -c esse -n '__esse_in gen' -s h -l help -d 'show help'
complete -c esse -n '__esse_in gen' -a 'list-append rw-register predicate'

complete -c esse -n '__esse_in ""' -a stats -d 'what a history contains, and what can be checked on it'
complete -c esse -n '__esse_in help' -a stats -d 'what a history contains, and what can be checked on it'
complete -c esse -n '__esse_in stats' -s f -l format -x -a 'native jepsen-edn elle-json' -d 'the input\'s format (default: recognised)'
complete -c esse -n '__esse_in stats' -s w -l workload -x -a 'list-append rw-register closed-predicate' -d 'what the operations are (default: recognised)'
complete -c esse -n '__esse_in stats' -s j -l json -d 'print one JSON object for each history'
complete -c esse -n '__esse_in stats' -s q -l quiet -d 'no warnings, no progress line'
complete -c esse -n '__esse_in stats' -s h -l help -d 'show help'
complete -c esse -n '__esse_in stats' -F

complete -c esse -n '__esse_in ""' -a levels -d 'explain isolation levels and anomalies'
complete -c esse -n '__esse_in help' -a levels -d 'explain isolation levels and anomalies'
complete -c esse -n '__esse_in levels' -l json -d 'print everything known, as JSON'
complete -c esse -n '__esse_in levels' -l dot -d 'print the lattice as a Graphviz graph'
complete -c esse -n '__esse_in levels' -l svg -d 'draw the lattice as a picture'
complete -c esse -n '__esse_in levels' -s o -l output -r -F -d 'write there, not to standard output'
complete -c esse -n '__esse_in levels' -s h -l help -d 'show help'
complete -c esse -n '__esse_in levels' -a 'strict-serializable strong-snapshot-isolation strong-read-committed strong-read-uncommitted strong-session-serializable strong-session-snapshot-isolation strong-session-read-committed strong-session-read-uncommitted serializable repeatable-read snapshot-isolation parallel-snapshot-isolation prefix update-atomic causal-cerone read-atomic axiomatic-read-committed monotonic-atomic-view update-serializable forward-consistent-view consistent-view monotonic-view cursor-stability monotonic-snapshot-read read-committed read-uncommitted view-serializable session-serializable 1SR linearizable sequential causal PRAM writes-follow-reads monotonic-reads monotonic-writes read-your-writes G1a G1b garbage-read internal future-read duplicate-elements duplicate-write incompatible-order cyclic-versions dirty-update lost-update predicate-read-miss result-set-mismatch G0 G1c G-single-item G-single G-nonadjacent-item G-nonadjacent G2-item G2 G0-process G1c-process G-single-item-process G-single-process G-nonadjacent-item-process G-nonadjacent-process G2-item-process G2-process G0-realtime G1c-realtime G-single-item-realtime G-single-realtime G-nonadjacent-item-realtime G-nonadjacent-realtime G2-item-realtime G2-realtime G1 G1-process G1-realtime write-skew G-cursor G-monotonic G-MSR G-update G-SI G-SIb GSI GSIa GSIb'

complete -c esse -n '__esse_in ""' -a verify -d 'recheck the evidence of a verdict against its history'
complete -c esse -n '__esse_in help' -a verify -d 'recheck the evidence of a verdict against its history'
complete -c esse -n '__esse_in verify' -s f -l format -x -a 'native jepsen-edn elle-json' -d 'the history\'s format (default: recognised)'
complete -c esse -n '__esse_in verify' -s w -l workload -x -a 'list-append rw-register closed-predicate' -d 'what the operations are (default: recognised)'
complete -c esse -n '__esse_in verify' -s q -l quiet -d 'no warnings, no progress line'
complete -c esse -n '__esse_in verify' -s h -l help -d 'show help'
complete -c esse -n '__esse_in verify' -F

complete -c esse -n '__esse_in ""' -a convert -d 'write a history in another format'
complete -c esse -n '__esse_in help' -a convert -d 'write a history in another format'
complete -c esse -n '__esse_in convert' -s f -l format -x -a 'native jepsen-edn elle-json' -d 'the input\'s format (default: recognised)'
complete -c esse -n '__esse_in convert' -s t -l to -x -a 'native jepsen-edn' -d 'the output\'s format (default: by its name)'
complete -c esse -n '__esse_in convert' -s w -l workload -x -a 'list-append rw-register closed-predicate' -d 'what the operations are (default: recognised)'
complete -c esse -n '__esse_in convert' -l lossy -d 'drop what the output\'s format cannot hold'
complete -c esse -n '__esse_in convert' -s q -l quiet -d 'no warnings, no progress line'
complete -c esse -n '__esse_in convert' -s h -l help -d 'show help'
complete -c esse -n '__esse_in convert' -F
