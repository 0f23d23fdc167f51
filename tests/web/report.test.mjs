// The pure parts of a report's script, each against the plainest way to say the same.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";

import { bytesOf, decodeColumns, inflate, readVarint } from "../../web/report/columns.js";
import { barsOf, endOf, firstWhere, lanesOf, placeAt } from "../../web/report/lanes.js";
import { countText, lengthText, momentText, powersBetween, ticksBetween } from "../../web/report/scales.js";
import { pathOf } from "../../web/report/plots.js";
import { searchPlaces } from "../../web/report/search.js";
import { around, moved, zoomed } from "../../web/report/view.js";

/** Numbers that are the same every time (a linear congruential generator). */
function random(seed) {
    let state = seed;
    return (below) => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return Math.floor((state / 2147483648) * below);
    };
}

function varint(bytes, number) {
    for (; number >= 128; number = Math.floor(number / 128)) bytes.push(128 | number % 128);
    bytes.push(number);
}

function randomColumns(seed, count, sessions, span) {
    const draw = random(seed);
    const begins = Array.from({ length: count }, () => draw(span)).sort((a, b) => a - b);
    const columns = { count, begin: Float64Array.from(begins), length: new Float64Array(count),
        session: new Uint32Array(count), status: new Uint8Array(count), ops: new Uint32Array(count) };
    for (let i = 0; i < count; i++) {
        columns.length[i] = draw(20) === 0 ? -1 : draw(Math.max(2, Math.floor(span / 20)));
        columns.session[i] = draw(sessions);
        columns.status[i] = draw(3);
        columns.ops[i] = draw(9);
    }
    return columns;
}

test("varints are read back, up to 2^52", () => {
    const numbers = [0, 1, 127, 128, 16383, 16384, 2 ** 31, 2 ** 32 + 5, 2 ** 52 - 1], bytes = [];
    for (const number of numbers) varint(bytes, number);
    const from = { at: 0 };
    assert.deepEqual(numbers.map(() => readVarint(Uint8Array.from(bytes), from)), numbers);
    assert.equal(from.at, bytes.length);
});

test("columns are what was packed", async () => {
    const columns = randomColumns(3, 500, 7, 1e9), bytes = [];
    for (let i = 0; i < 500; i++) varint(bytes, columns.begin[i] - (i ? columns.begin[i - 1] : 0));
    for (let i = 0; i < 500; i++) varint(bytes, columns.session[i]);
    for (let i = 0; i < 500; i++) varint(bytes, columns.length[i] + 1);
    for (let i = 0; i < 500; i++) varint(bytes, columns.status[i] + 4 * columns.ops[i]);
    const text = deflateSync(Uint8Array.from(bytes)).toString("base64");
    assert.equal(bytesOf("AP8=").join(), "0,255");
    assert.deepEqual(decodeColumns(await inflate(text), 500), columns);
});

test("every bar in view is drawn, or one in the same pixel", () => {
    for (let seed = 1; seed <= 300; seed++) {
        const draw = random(seed), sessions = 1 + draw(4), span = 1 + draw(5000);
        const columns = randomColumns(seed, draw(200), sessions, span), lanes = lanesOf(columns, sessions);
        const begin = draw(span), view = { begin, end: begin + 1 + draw(span) }, width = 1 + draw(300);
        const scale = width / (view.end - view.begin);
        for (let s = 0; s < sessions; s++) {
            const bars = barsOf(columns, lanes, s, view, width), drawn = new Set(bars.map((b) => b.place));
            assert.ok(bars.length <= 2 * width + columns.count);
            for (const bar of bars) {
                assert.equal(columns.session[bar.place], s);
                assert.ok(columns.begin[bar.place] <= view.end && endOf(columns, bar.place) >= view.begin);
                assert.ok(bar.left >= 0 && bar.right <= width && bar.left <= bar.right);
            }
            for (let i = 0; i < columns.count; i++) {
                if (columns.session[i] !== s || columns.begin[i] > view.end || endOf(columns, i) < view.begin) continue;
                const left = Math.floor(Math.max(0, (columns.begin[i] - view.begin) * scale));
                assert.ok(drawn.has(i) || bars.some((b) => b.many && Math.abs(Math.floor(b.left) - left) <= 1),
                    `seed ${seed}: ${i} is not drawn`);
            }
        }
    }
});

test("a lane of a million costs a step a pixel", () => {
    const count = 1e6, columns = { count, begin: Float64Array.from({ length: count }, (_, i) => i * 10),
        length: new Float64Array(count).fill(5), session: new Uint32Array(count), status: new Uint8Array(count),
        ops: new Uint32Array(count) };
    const lanes = lanesOf(columns, 1);
    assert.ok(barsOf(columns, lanes, 0, { begin: 0, end: 1e7 }, 1000).length <= 2000);
});

test("what is pointed at is the nearest", () => {
    for (let seed = 1; seed <= 200; seed++) {
        const draw = random(seed), columns = randomColumns(seed, 1 + draw(60), 2, 500), lanes = lanesOf(columns, 2);
        const moment = draw(600), slack = draw(40), session = draw(2);
        const far = (i) => Math.max(0, columns.begin[i] - moment, moment - endOf(columns, i));
        const near = [...Array(columns.count).keys()].filter((i) => columns.session[i] === session && far(i) <= slack);
        const got = placeAt(columns, lanes, session, moment, slack);
        if (!near.length) assert.equal(got, -1);
        else assert.equal(far(got), Math.min(...near.map(far)), `seed ${seed}`);
    }
});

test("the first place of many", () => {
    for (let n = 0; n < 20; n++)
        for (let k = 0; k <= n; k++) assert.equal(firstWhere(0, n, (i) => i >= k), k);
});

test("ticks are round and in view", () => {
    assert.deepEqual(ticksBetween(0, 100, 5), [0, 20, 40, 60, 80, 100]);
    assert.deepEqual(ticksBetween(7, 7, 5), [7]);
    for (let seed = 1; seed < 200; seed++) {
        const draw = random(seed), from = draw(1e6), to = from + 1 + draw(1e9), most = 1 + draw(12);
        const ticks = ticksBetween(from, to, most);
        assert.ok(ticks.length <= most + 1 && ticks.every((t) => t >= from && t <= to));
    }
});

test("powers of ten", () => {
    assert.deepEqual(powersBetween(5, 2000), [10, 100, 1000]);
    assert.deepEqual(powersBetween(11, 12), [11, 12]);
});

test("a line is broken where there is no value", () => {
    const path = pathOf([1, 2, null, 3], (i) => i, (v) => v);
    assert.equal(path, "M0.0 1.0L1.0 2.0M3.0 3.0h1");
    assert.equal(pathOf([null], (i) => i, (v) => v), "");
});

test("times and counts as people read them", () => {
    assert.equal(momentText(1.5e9, 2e9, true), "1.5 s");
    assert.equal(momentText(12, 100, false), "12");
    assert.equal(lengthText(2500, true), "2.5 µs");
    assert.equal(lengthText(3, true), "3 ns");
    assert.equal(lengthText(3, false), "");
    assert.equal(countText(1234567), "1,234,567");
});

test("search finds names first, then operations", () => {
    const names = ["T1", "T11", "T2"], ops = { 0: ["r x = 5"], 2: ["w key11 = 1"] };
    assert.deepEqual(searchPlaces(names, ops, "t1", 9), [0, 1]);
    assert.deepEqual(searchPlaces(names, ops, "11", 9), [1, 2]);
    assert.deepEqual(searchPlaces(names, ops, "  ", 9), []);
    assert.deepEqual(searchPlaces(null, ops, "x", 9), [0]);
    assert.equal(searchPlaces(Array(100).fill("a"), {}, "a", 7).length, 7);
});

test("the view stays within the whole", () => {
    const whole = { begin: 0, end: 1000 };
    for (let seed = 1; seed < 300; seed++) {
        const draw = random(seed), begin = draw(900), view = { begin, end: begin + 1 + draw(1000 - begin - 1) };
        const views = [zoomed(view, draw(1000), (1 + draw(40)) / 10, whole, 10), moved(view, draw(4000) - 2000, whole),
            around(begin, begin + draw(100), whole, 10)];
        for (const v of views) assert.ok(v.begin >= 0 && v.end <= 1000 + 1e-9 && v.end > v.begin, `seed ${seed}`);
    }
    assert.deepEqual(zoomed({ begin: 0, end: 100 }, 50, 0.5, whole, 10), { begin: 25, end: 75 });
});
