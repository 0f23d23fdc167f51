// Which bars of a lane are drawn: only what is in view, and of many in one pixel one.

/** @typedef {import("./columns.js").Columns} Columns */
/** @typedef {{first: Uint32Array, at: Uint32Array, reach: Float64Array}} Lanes
 * The transactions of session s are at[first[s]] .. at[first[s + 1] - 1], by begin; reach: how far
 * the longest of them up to that one goes. */
/** @typedef {{left: number, right: number, place: number, many: boolean}} Bar */

/**
 * @param {Columns} columns
 * @param {number} sessions
 * @returns {Lanes}
 */
export function lanesOf(columns, sessions) {
    const first = new Uint32Array(sessions + 1);
    for (let i = 0; i < columns.count; i++) first[columns.session[i] + 1]++;
    for (let s = 0; s < sessions; s++) first[s + 1] += first[s];
    const next = first.slice(), at = new Uint32Array(columns.count);
    const reach = new Float64Array(columns.count);
    for (let i = 0; i < columns.count; i++) {
        const s = columns.session[i], to = next[s]++;
        const before = to > first[s] ? reach[to - 1] : -Infinity;
        at[to] = i;
        reach[to] = Math.max(before, endOf(columns, i));
    }
    return { first, at, reach };
}

/**
 * One whose end is not known lasts until the end of all.
 * @param {Columns} columns
 * @param {number} place
 */
export function endOf(columns, place) {
    return columns.length[place] < 0 ? Infinity : columns.begin[place] + columns.length[place];
}

/**
 * The first index of [from, to) at which 'is' is true; it is so for all behind it.
 * @param {number} from
 * @param {number} to
 * @param {(index: number) => boolean} is
 */
export function firstWhere(from, to, is) {
    while (from < to) {
        const middle = (from + to) >>> 1;
        if (is(middle)) to = middle;
        else from = middle + 1;
    }
    return from;
}

/**
 * The bars of one lane in pixels from 0 to 'width', at most two a pixel.
 * @param {Columns} columns
 * @param {Lanes} lanes
 * @param {number} session
 * @param {{begin: number, end: number}} view
 * @param {number} width
 * @returns {Bar[]}
 */
export function barsOf(columns, lanes, session, view, width) {
    const scale = width / (view.end - view.begin), bars = [];
    const stop = lanes.first[session + 1];
    let index = firstWhere(lanes.first[session], stop, (i) => lanes.reach[i] >= view.begin);
    while (index < stop) {
        const place = lanes.at[index], begin = columns.begin[place];
        if (begin > view.end) break;
        const end = endOf(columns, place);
        if (end < view.begin) {
            index++;
            continue;
        }
        const left = Math.min(width, Math.max(0, (begin - view.begin) * scale));
        const right = Math.min(width, (end - view.begin) * scale);
        let next = index + 1;
        if (right - left < 1) {
            const beyond = view.begin + (Math.floor(left) + 1) / scale;
            next = Math.max(next, firstWhere(next, stop, (i) => columns.begin[lanes.at[i]] >= beyond));
        }
        bars.push({ left, right, place, many: next > index + 1 });
        index = next;
    }
    return bars;
}

/**
 * The transaction of a session at a moment, the nearest within 'slack'; -1 if there is none.
 * @param {Columns} columns
 * @param {Lanes} lanes
 * @param {number} session
 * @param {number} moment
 * @param {number} slack
 */
export function placeAt(columns, lanes, session, moment, slack) {
    const start = firstWhere(lanes.first[session], lanes.first[session + 1],
        (i) => lanes.reach[i] >= moment - slack);
    let best = -1, distance = slack;
    for (let i = start; i < lanes.first[session + 1]; i++) {
        const place = lanes.at[i];
        if (columns.begin[place] > moment + slack) break;
        const far = Math.max(0, columns.begin[place] - moment, moment - endOf(columns, place));
        if (far <= distance) {
            best = place;
            distance = far;
        }
    }
    return best;
}
