// What happened over time, and how much of what.

import { dataOf, make } from "./dom.js";
import { areNanoseconds, countText, lengthText, momentText, powersBetween, ticksBetween } from "./scales.js";

const SVG = "http://www.w3.org/2000/svg", PLOT_HIGH = 190, LEFT = 66, BELOW = 24, ABOVE = 12;
const SHARES = ["50 %", "95 %", "99 %", "longest"];

/** @typedef {{name: string, colour: string, values: (number | null)[]}} Line */

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 */
function draw(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (text !== undefined) element.textContent = text;
    return element;
}

/**
 * The points of a line in pieces: where there is no value, it is broken.
 * @param {(number | null)[]} values
 * @param {(index: number) => number} x
 * @param {(value: number) => number} y
 * @returns {string}
 */
export function pathOf(values, x, y) {
    let path = "", isDown = false;
    values.forEach((value, i) => {
        if (value === null) {
            isDown = false;
            return;
        }
        path += `${isDown ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
        if (!isDown && (i + 1 === values.length || values[i + 1] === null)) path += "h1";
        isDown = true;
    });
    return path;
}

class Plot {
    /**
     * @param {any} data
     * @param {string} title
     * @param {Line[]} lines
     * @param {(value: number) => string} label
     * @param {boolean} [isLog] powers of ten are as far apart as others
     */
    constructor(data, title, lines, label, isLog = false) {
        this.data = data;
        this.title = title;
        this.lines = lines;
        this.label = label;
        this.wide = 0;
        this.count = lines[0].values.length;
        this.span = data.width * this.count;
        const values = lines.flatMap((line) => line.values.map((v) => v || 0));
        this.most = values.reduce((a, b) => Math.max(a, b), 1);
        this.least = isLog ? values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), this.most) : 0;
        this.isLog = isLog && this.most > this.least;
        this.element = make("figure", {}, make("figcaption", {}, title, " ", this.legend()));
        this.svg = draw("svg", { role: "img", "aria-label": `${title}; at most ${label(this.most)}` });
        this.element.append(this.svg);
        new ResizeObserver(() => this.redraw()).observe(this.element);
    }

    legend() {
        return make("span", { class: "legend" }, ...this.lines.map((line) => {
            const swatch = make("span", { class: `line ${line.colour}` });
            return make("span", {}, swatch, line.name);
        }));
    }

    /**
     * From 0 at the least value to 1 at the most.
     * @param {number} value
     */
    height(value) {
        if (!this.isLog) return value / this.most;
        return Math.log(Math.max(value, this.least) / this.least) / Math.log(this.most / this.least);
    }

    ticks() {
        if (!this.isLog) return ticksBetween(0, this.most, 4);
        return powersBetween(this.least, this.most);
    }

    redraw() {
        const wide = this.element.clientWidth;
        if (!wide || wide === this.wide) return;
        this.wide = wide;
        const x = (/** @type {number} */ i) => LEFT + ((i + 0.5) / this.count) * (wide - LEFT - 8);
        const y = (/** @type {number} */ v) => ABOVE + (1 - this.height(v)) * (PLOT_HIGH - ABOVE - BELOW);
        this.svg.setAttribute("viewBox", `0 0 ${wide} ${PLOT_HIGH}`);
        this.svg.replaceChildren();
        this.drawFaults(wide);
        for (const tick of this.ticks()) {
            this.svg.append(draw("path", { class: "grid", d: `M${LEFT} ${y(tick).toFixed(1)}H${wide - 8}` }),
                draw("text", { class: "tick y", x: LEFT - 6, y: (y(tick) + 4).toFixed(1) }, this.label(tick)));
        }
        const isTime = areNanoseconds(this.span);
        for (const tick of ticksBetween(0, this.span, wide / 130)) {
            const at = LEFT + (tick / this.span) * (wide - LEFT - 8);
            this.svg.append(draw("text", { class: "tick x", x: at.toFixed(1), y: PLOT_HIGH - 6 },
                momentText(tick, this.span, isTime)));
        }
        for (const line of this.lines)
            this.svg.append(draw("path", { class: `curve ${line.colour}`, d: pathOf(line.values, x, y) }));
    }

    /** @param {number} wide */
    drawFaults(wide) {
        for (const fault of this.data.faults || []) {
            const place = (/** @type {number} */ moment) => LEFT + Math.min(1, Math.max(0,
                (moment - Number(this.data.base)) / this.span)) * (wide - LEFT - 8);
            const left = place(fault.start), right = fault.end === undefined ? wide - 8 : place(fault.end);
            this.svg.append(draw("rect", {
                class: "fault", x: left, y: ABOVE, width: Math.max(1, right - left), height: PLOT_HIGH - ABOVE - BELOW,
            }));
        }
    }
}

/** @param {any} data */
function plotsOverTime(data) {
    const isTime = areNanoseconds(data.width * data.committed.length);
    const seconds = isTime ? data.width / 1e9 : 1;
    const rate = (/** @type {number[]} */ counts) => counts.map((c) => c / seconds);
    const length = (/** @type {number} */ v) => lengthText(v, isTime) || countText(v);
    const latency = (/** @type {number} */ at) =>
        data.latency.map((/** @type {number[] | null} */ four) => four && four[at]);
    return [
        new Plot(data, isTime ? "Ends a second" : "Ends a slice of time", [
            { name: "committed", colour: "blue", values: rate(data.committed) },
            { name: "aborted", colour: "amber", values: rate(data.aborted) },
            { name: "unknown", colour: "violet", values: rate(data.unknown) }], countText),
        new Plot(data, "Latency of committed transactions", SHARES.map((name, at) =>
            ({ name, colour: ["blue", "violet", "amber", "red"][at], values: latency(at) })), length, true),
        new Plot(data, "Open at the same time, at most", [
            { name: "transactions", colour: "blue", values: data.open }], countText),
    ].map((plot) => plot.element);
}

/** @param {any} data */
function tableOfKinds(data) {
    const rows = data.kind_names.map((/** @type {string} */ name, /** @type {number} */ kind) => {
        const four = data.kind_latency[kind];
        if (!data.kind_counts[kind]) return null;
        const cells = [countText(data.kind_counts[kind])].concat(
            SHARES.map((_, at) => (four ? lengthText(four[at], true) : "–")));
        return make("tr", {}, make("td", {}, name), ...cells.map((cell) => make("td", { class: "number" }, cell)));
    }).filter(Boolean);
    return make("figure", {}, make("figcaption", {}, "Operations, and how long they took"),
        make("table", {}, make("thead", {}, make("tr", {}, ...["", "count", ...SHARES].map((text) =>
            make("th", {}, text)))), make("tbody", {}, ...rows)));
}

/**
 * @param {string} title
 * @param {{name: string, count: number, text: string}[]} bars
 */
function barList(title, bars) {
    const most = Math.max(1, ...bars.map((bar) => bar.count));
    return make("figure", {}, make("figcaption", {}, title), make("ol", { class: "bars" }, ...bars.map((bar) => {
        const fill = make("span", { class: "bar" });
        fill.style.width = `${(100 * bar.count) / most}%`;
        return make("li", {}, make("span", { class: "bar-name" }, bar.name), fill, make("span", { class: "why" }, bar.text));
    })));
}

/** @param {any} data */
function hotKeys(data) {
    return barList("Keys that were touched most", data.keys.map(
        (/** @type {{key: string, reads: number, writes: number}} */ key) => ({
            name: key.key, count: key.reads + key.writes,
            text: `${countText(key.reads)} reads, ${countText(key.writes)} writes`,
        })));
}

/** @param {any} data */
function sizes(data) {
    const last = data.sizes.length - 1;
    return barList("Operations in a transaction", data.sizes.map(
        (/** @type {number} */ count, /** @type {number} */ size) =>
            ({ name: size === last ? `${size} or more` : String(size), count, text: countText(count) }))
        .filter((/** @type {{count: number}} */ bar) => bar.count));
}

export function startPlots() {
    const place = document.querySelector("#plots .plots"), data = dataOf("plot-data");
    if (!place || !data) return;
    if (data.committed) place.append(...plotsOverTime(data));
    place.append(make("div", { class: "side" }, tableOfKinds(data), hotKeys(data), sizes(data)));
}
