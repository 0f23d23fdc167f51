// Times and numbers as people read them.

/** Spans of at least a millisecond are taken for nanoseconds, as Esse records them. */
const NANOSECONDS = 1e6;

/**
 * Round numbers between two, about 'most' of them.
 * @param {number} from
 * @param {number} to
 * @param {number} most
 * @returns {number[]}
 */
export function ticksBetween(from, to, most) {
    if (!(to > from)) return [from];
    const rough = (to - from) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || 10 * power;
    const ticks = [];
    for (let i = Math.ceil(from / step); i * step <= to; i++) ticks.push(i * step);
    return ticks;
}

/**
 * The powers of ten between two numbers above 0; the two themselves if there is none.
 * @param {number} from
 * @param {number} to
 * @returns {number[]}
 */
export function powersBetween(from, to) {
    const powers = [];
    for (let power = 10 ** Math.ceil(Math.log10(from)); power <= to; power *= 10) powers.push(power);
    return powers.length ? powers : [from, to];
}

/**
 * A moment since the beginning; 'span' is what is in view.
 * @param {number} moment
 * @param {number} span
 * @param {boolean} isTime
 * @returns {string}
 */
export function momentText(moment, span, isTime) {
    if (!isTime || span < 1000) return isTime ? `${trim(moment, 0)} ns` : trim(moment, 0);
    const [unit, size] = unitOf(Math.max(Math.abs(moment), span));
    const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(size / span)) + 2));
    return `${trim(moment / size, digits)} ${unit}`;
}

/**
 * @param {number} length
 * @param {boolean} isTime
 * @returns {string}
 */
export function lengthText(length, isTime) {
    if (!isTime) return "";
    const [unit, size] = unitOf(length);
    return `${trim(length / size, size > 1 ? 2 : 0)} ${unit}`;
}

/** @param {number} span @returns {boolean} */
export function areNanoseconds(span) {
    return span >= NANOSECONDS;
}

/** @param {number} length @returns {[string, number]} */
function unitOf(length) {
    if (length >= 1e9) return ["s", 1e9];
    if (length >= 1e6) return ["ms", 1e6];
    if (length >= 1e3) return ["µs", 1e3];
    return ["ns", 1];
}

/** @param {number} number @param {number} digits */
function trim(number, digits) {
    const text = number.toFixed(digits);
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** @param {number} number @returns {string} */
export function countText(number) {
    return Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}
