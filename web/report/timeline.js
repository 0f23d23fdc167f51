// The timeline: sessions as lanes, transactions as bars, the dependencies of an anomaly as arrows.

import { decodeColumns, inflate, inflateJson } from "./columns.js";
import { dataOf, make } from "./dom.js";
import { barsOf, endOf, lanesOf, placeAt } from "./lanes.js";
import { areNanoseconds, countText, lengthText, momentText, ticksBetween } from "./scales.js";
import { searchPlaces } from "./search.js";
import { around, moved, zoomed } from "./view.js";

const NAMES = 76, AXIS = 26, HEIGHT = 460, LANE_MOST = 26, LANE_LEAST = 12, FOUND_MOST = 1000;
const STATUSES = ["committed", "aborted", "unknown"];
const HELP = "Wheel or + and −: zoom. Drag or arrows: move. / search, n and p: next and previous " +
    "found. a: next anomaly. 0: everything. ?: this help.";

/** @typedef {{type: string, description: string, txns: number[], edges: [number, number, string][]}} Anomaly */

class Timeline {
    /** @param {any} data */
    constructor(data) {
        this.data = data;
        this.isTime = data.has_times && areNanoseconds(data.span);
        this.whole = { begin: 0, end: Math.max(1, data.span) };
        this.least = Math.min(this.whole.end, this.isTime ? 1000 : 10);
        this.view = { ...this.whole };
        this.columns = decodeColumns(new Uint8Array(), 0);
        this.lanes = lanesOf(this.columns, 0);
        this.isReady = false;
        this.drawing = 0;
        this.top = 0;
        this.chosen = -1;
        this.anomaly = -1;
        /** @type {number[]} */
        this.found = [];
        this.foundAt = -1;
        /** @type {string[] | null} */
        this.names = null;
        /** @type {Record<string, string[]>} */
        this.ops = {};
        /** @type {{x: number, y: number, moved: boolean} | undefined} */
        this.drag = undefined;
        this.canvas = /** @type {HTMLCanvasElement} */ (make("canvas", {
            tabindex: "0", role: "application",
            "aria-label": `Timeline of ${countText(data.count)} transactions; ${HELP}`,
        }));
        this.high = Math.min(HEIGHT, AXIS + data.sessions.length * LANE_MOST + 8);
        this.canvas.style.height = `${this.high}px`;
        this.colours = coloursOf(this.canvas);
        this.details = make("div", { class: "details", "aria-live": "polite" });
        this.help = make("p", { class: "help", hidden: "" }, HELP);
        this.search = /** @type {HTMLInputElement} */ (make("input", {
            type: "search", placeholder: "transaction, key, value", "aria-label": "Search",
        }));
        this.count = make("span", { class: "count", "aria-live": "polite" });
        this.select = /** @type {HTMLSelectElement} */ (make("select", { "aria-label": "Anomaly" },
            make("option", { value: "-1" }, "no anomaly")));
    }

    /** @param {Element} place */
    build(place) {
        this.data.anomalies.forEach((/** @type {Anomaly} */ anomaly, /** @type {number} */ i) =>
            this.select.append(make("option", { value: String(i) }, `${i + 1}. ${anomaly.type}`)));
        const helpButton = make("button", { type: "button", "aria-label": "Help" }, "?");
        const all = make("button", { type: "button" }, "Everything");
        helpButton.addEventListener("click", () => this.toggleHelp());
        all.addEventListener("click", () => this.show(this.whole));
        place.append(
            make("div", { class: "tools" }, this.search, this.count, this.select, all, helpButton),
            this.help, this.canvas, this.details);
        this.listen();
    }

    async load() {
        const bytes = await inflate(this.data.columns);
        this.columns = decodeColumns(bytes, this.data.count);
        this.lanes = lanesOf(this.columns, this.data.sessions.length);
        this.isReady = true;
        new ResizeObserver(() => this.draw()).observe(this.canvas);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
        if (this.data.anomalies.length) this.showAnomaly(0);
        else this.draw();
        if (this.data.names) this.names = await inflateJson(this.data.names);
        if (this.data.ops) this.ops = await inflateJson(this.data.ops);
        this.canvas.dataset.ready = "true";
        this.describe(this.chosen);
    }

    // ---- where things are ----

    laneHeight() {
        const room = this.high - AXIS, lanes = this.data.sessions.length;
        return Math.min(LANE_MOST, Math.max(LANE_LEAST, room / Math.max(1, lanes)));
    }

    width() {
        return Math.max(1, this.canvas.clientWidth - NAMES);
    }

    /** @param {number} moment */
    x(moment) {
        return NAMES + ((moment - this.view.begin) / (this.view.end - this.view.begin)) * this.width();
    }

    /** @param {number} x */
    momentAt(x) {
        return this.view.begin + ((x - NAMES) / this.width()) * (this.view.end - this.view.begin);
    }

    /** @param {number} session */
    y(session) {
        return AXIS + (session + 0.5) * this.laneHeight() - this.top;
    }

    // ---- drawing ----

    draw() {
        if (!this.isReady || this.drawing) return;
        this.drawing = requestAnimationFrame(() => {
            this.drawing = 0;
            this.drawNow();
        });
    }

    drawNow() {
        const ratio = devicePixelRatio || 1, wide = this.canvas.clientWidth;
        this.canvas.width = Math.round(wide * ratio);
        this.canvas.height = Math.round(this.high * ratio);
        const pen = this.canvas.getContext("2d");
        if (!pen) return;
        pen.scale(ratio, ratio);
        pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
        pen.textBaseline = "middle";
        this.colours = coloursOf(this.canvas);
        this.drawFaults(pen);
        this.drawLanes(pen);
        this.drawArrows(pen);
        this.drawAxis(pen, wide);
    }

    /** @param {CanvasRenderingContext2D} pen */
    drawFaults(pen) {
        for (const fault of this.data.faults || []) {
            const base = Number(this.data.base);
            const left = Math.max(NAMES, this.x(fault.start - base));
            const right = Math.min(NAMES + this.width(),
                fault.end === undefined ? Infinity : this.x(fault.end - base));
            if (right < NAMES || left > NAMES + this.width()) continue;
            pen.fillStyle = this.colours.fault;
            pen.fillRect(left, AXIS, Math.max(1, right - left), this.high - AXIS);
            pen.fillStyle = this.colours.ink;
            pen.fillText(fault.fault, left + 3, this.high - 8);
        }
    }

    /** @param {CanvasRenderingContext2D} pen */
    drawLanes(pen) {
        const high = this.laneHeight(), marked = this.marked();
        for (let session = 0; session < this.data.sessions.length; session++) {
            const y = this.y(session);
            if (y < AXIS - high || y > this.high + high) continue;
            pen.strokeStyle = this.colours.line;
            pen.beginPath();
            pen.moveTo(NAMES, y + high / 2);
            pen.lineTo(NAMES + this.width(), y + high / 2);
            pen.stroke();
            pen.fillStyle = this.colours.soft;
            pen.fillText(String(this.data.sessions[session]).slice(0, 10), 4, y);
            for (const bar of barsOf(this.columns, this.lanes, session, this.view, this.width()))
                this.drawBar(pen, bar, y, high, marked);
        }
        for (const place of marked) this.drawMark(pen, place, high);
    }

    /**
     * @param {CanvasRenderingContext2D} pen
     * @param {import("./lanes.js").Bar} bar
     * @param {number} y
     * @param {number} high
     * @param {Set<number>} marked
     */
    drawBar(pen, bar, y, high, marked) {
        const wide = Math.max(1, bar.right - bar.left - (bar.right - bar.left > 4 ? 1 : 0));
        const status = this.columns.status[bar.place];
        pen.globalAlpha = this.anomaly >= 0 && !marked.has(bar.place) ? 0.45 : 1;
        pen.fillStyle = bar.many ? this.colours.many : this.colours.status[status];
        pen.fillRect(NAMES + bar.left, y - high * 0.36, wide, high * 0.72);
        pen.globalAlpha = 1;
        if (wide > 60 && high >= 12) this.drawLabel(pen, bar, y, wide);
    }

    /**
     * @param {CanvasRenderingContext2D} pen
     * @param {import("./lanes.js").Bar} bar
     * @param {number} y
     * @param {number} wide
     */
    drawLabel(pen, bar, y, wide) {
        const ops = this.ops[bar.place];
        let text = this.nameOf(bar.place);
        if (ops && wide > 140) text += "  " + ops.join(", ");
        pen.save();
        pen.beginPath();
        pen.rect(NAMES + bar.left, y - 10, wide, 20);
        pen.clip();
        pen.fillStyle = this.colours.onBar;
        pen.fillText(text, NAMES + bar.left + 4, y + 0.5);
        pen.restore();
    }

    /** @param {CanvasRenderingContext2D} pen @param {number} place @param {number} high */
    drawMark(pen, place, high) {
        const y = this.y(this.columns.session[place]);
        const left = Math.max(NAMES, this.x(this.columns.begin[place]));
        const right = Math.min(NAMES + this.width(), this.x(endOf(this.columns, place)));
        if (right < NAMES || left > NAMES + this.width() || y < AXIS || y > this.high) return;
        pen.strokeStyle = place === this.chosen ? this.colours.accent : this.colours.violated;
        pen.lineWidth = 2;
        pen.strokeRect(left - 1, y - high * 0.36 - 1, Math.max(3, right - left + 1), high * 0.72 + 2);
        pen.lineWidth = 1;
    }

    /** @param {CanvasRenderingContext2D} pen */
    drawArrows(pen) {
        if (this.anomaly < 0) return;
        pen.save();
        pen.beginPath();
        pen.rect(NAMES, AXIS, this.width(), this.high - AXIS);
        pen.clip();
        /** @type {Anomaly} */
        const anomaly = this.data.anomalies[this.anomaly];
        for (const [from, to, label] of anomaly.edges) this.drawArrow(pen, from, to, label);
        pen.restore();
    }

    /**
     * @param {CanvasRenderingContext2D} pen
     * @param {number} from
     * @param {number} to
     * @param {string} label
     */
    drawArrow(pen, from, to, label) {
        const a = this.middle(from), b = this.middle(to);
        const bend = Math.sign(b.y - a.y || 1) * 18, x = (a.x + b.x) / 2 + bend, y = (a.y + b.y) / 2 - bend;
        pen.strokeStyle = pen.fillStyle = this.colours.violated;
        pen.lineWidth = 1.6;
        pen.beginPath();
        pen.moveTo(a.x, a.y);
        pen.quadraticCurveTo(x, y, b.x, b.y);
        pen.stroke();
        const angle = Math.atan2(b.y - y, b.x - x);
        pen.beginPath();
        pen.moveTo(b.x, b.y);
        pen.lineTo(b.x - 9 * Math.cos(angle - 0.4), b.y - 9 * Math.sin(angle - 0.4));
        pen.lineTo(b.x - 9 * Math.cos(angle + 0.4), b.y - 9 * Math.sin(angle + 0.4));
        pen.fill();
        pen.lineWidth = 1;
        const wide = pen.measureText(label).width, at = { x: (a.x + 2 * x + b.x) / 4, y: (a.y + 2 * y + b.y) / 4 };
        pen.fillStyle = this.colours.paper;
        pen.fillRect(at.x - wide / 2 - 3, at.y - 8, wide + 6, 16);
        pen.fillStyle = this.colours.violated;
        pen.fillText(label, at.x - wide / 2, at.y);
    }

    /** @param {number} place */
    middle(place) {
        const begin = this.columns.begin[place], end = Math.min(endOf(this.columns, place), this.whole.end);
        return { x: this.x((begin + end) / 2), y: this.y(this.columns.session[place]) };
    }

    /** @param {CanvasRenderingContext2D} pen @param {number} wide */
    drawAxis(pen, wide) {
        const span = this.view.end - this.view.begin;
        pen.fillStyle = this.colours.paper;
        pen.fillRect(0, 0, wide, AXIS);
        pen.fillStyle = this.colours.soft;
        pen.strokeStyle = this.colours.line;
        for (const tick of ticksBetween(this.view.begin, this.view.end, this.width() / 110)) {
            const x = this.x(tick), text = momentText(tick, span, this.isTime);
            const half = pen.measureText(text).width / 2;
            pen.fillText(text, Math.min(Math.max(x - half, NAMES), wide - 2 * half), AXIS / 2);
            pen.beginPath();
            pen.moveTo(x, AXIS - 5);
            pen.lineTo(x, AXIS);
            pen.stroke();
        }
        pen.fillText("session", 4, AXIS / 2);
    }

    // ---- what is chosen ----

    marked() {
        const places = this.anomaly >= 0 ? this.data.anomalies[this.anomaly].txns : [];
        return new Set(this.chosen >= 0 ? [...places, this.chosen] : places);
    }

    /** @param {number} place */
    nameOf(place) {
        return this.names ? this.names[place] : `the ${countText(place + 1)}th to begin`;
    }

    /** @param {number} place */
    describe(place) {
        if (place < 0) {
            this.details.replaceChildren(make("p", {}, this.data.has_times
                ? "Point at a transaction to see it."
                : "No times were recorded: each transaction stands at the place of its line."));
            return;
        }
        const columns = this.columns, ops = this.ops[place];
        const facts = [`session ${this.data.sessions[columns.session[place]]}`, STATUSES[columns.status[place]]];
        if (this.data.has_times) {
            facts.push(`from ${momentText(columns.begin[place], 1e3, this.isTime)}`);
            facts.push(columns.length[place] < 0 ? "end not known"
                : `for ${lengthText(columns.length[place], this.isTime) || columns.length[place]}`);
        }
        facts.push(`${columns.ops[place]} operations${ops || !columns.ops[place] ? "" : " (not on this page)"}`);
        this.details.replaceChildren(
            make("p", {}, make("strong", {}, this.nameOf(place)), " ", facts.join(", ")),
            make("pre", {}, (ops || []).join("\n")));
    }

    /** @param {number} place @param {boolean} [jump] */
    choose(place, jump = false) {
        this.chosen = place;
        this.describe(place);
        if (jump && place >= 0) this.jumpTo([place]);
        this.draw();
    }

    /** @param {number[]} places */
    jumpTo(places) {
        if (!places.length) return;
        const begin = Math.min(...places.map((p) => this.columns.begin[p]));
        const end = Math.max(...places.map((p) => Math.min(endOf(this.columns, p), this.whole.end)));
        const lane = Math.min(...places.map((p) => this.columns.session[p]));
        this.scroll(lane * this.laneHeight() - (this.high - AXIS) / 3 - this.top);
        this.show(around(begin, end, this.whole, this.least));
    }

    /** @param {{begin: number, end: number}} view */
    show(view) {
        this.view = { ...view };
        this.draw();
    }

    /** @param {number} by */
    scroll(by) {
        const most = Math.max(0, this.data.sessions.length * this.laneHeight() - (this.high - AXIS));
        this.top = Math.min(most, Math.max(0, this.top + by));
        this.draw();
    }

    /** @param {number} number */
    showAnomaly(number) {
        this.anomaly = number;
        this.select.value = String(number);
        if (number >= 0) this.jumpTo(this.data.anomalies[number].txns);
        else this.draw();
    }

    find() {
        this.found = searchPlaces(this.names, this.ops, this.search.value, FOUND_MOST);
        this.foundAt = -1;
        const many = this.found.length === FOUND_MOST ? " or more" : "";
        this.count.textContent = this.search.value.trim() ? `${this.found.length}${many} found` : "";
        this.nextFound(1);
    }

    /** @param {number} by */
    nextFound(by) {
        if (!this.found.length) return;
        this.foundAt = (this.foundAt + by + this.found.length) % this.found.length;
        this.choose(this.found[this.foundAt], true);
    }

    toggleHelp() {
        this.help.toggleAttribute("hidden");
    }

    // ---- hands ----

    listen() {
        this.canvas.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
        this.canvas.addEventListener("pointerdown", (event) => this.pressed(event));
        this.canvas.addEventListener("pointermove", (event) => this.pointed(event));
        this.canvas.addEventListener("pointerup", (event) => this.released(event));
        this.canvas.addEventListener("keydown", (event) => this.typed(event));
        this.search.addEventListener("change", () => this.find());
        this.search.addEventListener("keydown", (event) => {
            if (event.key === "Escape") this.canvas.focus();
        });
        this.select.addEventListener("change", () => this.showAnomaly(Number(this.select.value)));
        document.addEventListener("keydown", (event) => {
            const inField = /^(INPUT|TEXTAREA|SELECT)$/.test(/** @type {Element} */ (event.target).tagName);
            if (event.key !== "/" || inField) return;
            event.preventDefault();
            this.search.focus();
        });
    }

    /** @param {WheelEvent} event */
    wheeled(event) {
        event.preventDefault();
        if (event.shiftKey) this.scroll(event.deltaY + event.deltaX);
        else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX);
        else this.zoom(1.0015 ** event.deltaY, this.momentAt(event.offsetX));
    }

    /** @param {number} factor @param {number} [moment] */
    zoom(factor, moment = (this.view.begin + this.view.end) / 2) {
        this.show(zoomed(this.view, moment, factor, this.whole, this.least));
    }

    /** @param {number} pixels */
    pan(pixels) {
        this.show(moved(this.view, (pixels / this.width()) * (this.view.end - this.view.begin), this.whole));
    }

    /** @param {PointerEvent} event */
    pressed(event) {
        this.canvas.focus({ preventScroll: true });
        this.canvas.setPointerCapture(event.pointerId);
        this.drag = { x: event.offsetX, y: event.offsetY, moved: false };
    }

    /** @param {PointerEvent} event */
    pointed(event) {
        if (!this.drag) {
            if (this.chosen < 0) this.describe(this.placeUnder(event));
            return;
        }
        const x = this.drag.x - event.offsetX, y = this.drag.y - event.offsetY;
        if (!this.drag.moved && Math.abs(x) + Math.abs(y) < 4) return;
        this.drag = { x: event.offsetX, y: event.offsetY, moved: true };
        this.pan(x);
        this.scroll(y);
    }

    /** @param {PointerEvent} event */
    released(event) {
        if (this.drag && !this.drag.moved) this.choose(this.placeUnder(event));
        this.drag = undefined;
    }

    /** @param {PointerEvent} event */
    placeUnder(event) {
        if (!this.isReady) return -1;
        const session = Math.floor((event.offsetY - AXIS + this.top) / this.laneHeight());
        if (event.offsetY < AXIS || session < 0 || session >= this.data.sessions.length) return -1;
        const slack = (3 / this.width()) * (this.view.end - this.view.begin);
        return placeAt(this.columns, this.lanes, session, this.momentAt(event.offsetX), slack);
    }

    /** @param {KeyboardEvent} event */
    typed(event) {
        /** @type {Record<string, () => void>} */
        const keys = {
            "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6),
            ArrowLeft: () => this.pan(-this.width() / 6), ArrowRight: () => this.pan(this.width() / 6),
            ArrowUp: () => this.scroll(-this.laneHeight() * 3), ArrowDown: () => this.scroll(this.laneHeight() * 3),
            0: () => this.show(this.whole), Escape: () => this.choose(-1),
            n: () => this.nextFound(1), p: () => this.nextFound(-1), "?": () => this.toggleHelp(),
            a: () => this.data.anomalies.length &&
                this.showAnomaly((this.anomaly + 1) % this.data.anomalies.length),
        };
        const act = keys[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey || !this.isReady) return;
        event.preventDefault();
        act();
    }
}

/** @param {Element} element */
function coloursOf(element) {
    const style = getComputedStyle(element);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    return {
        ink: colour("--ink"), soft: colour("--soft"), line: colour("--line"), paper: colour("--paper"),
        accent: colour("--accent"), violated: colour("--violated"), onBar: colour("--on-bar"),
        many: colour("--bar-many"), fault: colour("--fault"),
        status: [colour("--bar-committed"), colour("--bar-aborted"), colour("--bar-unknown")],
    };
}

export function startTimeline() {
    const place = document.querySelector("#timeline .timeline"), data = dataOf("timeline-data");
    if (!place || !data || !data.columns) return;
    const timeline = new Timeline(data);
    timeline.build(place);
    timeline.load().catch((error) => place.append(make("p", { class: "warning" }, String(error))));
}
