// What part of the time is in view.

/** @typedef {{begin: number, end: number}} View */

/**
 * Zoomed by a factor around a moment, within 'whole', and not below 'least'.
 * @param {View} view
 * @param {number} moment
 * @param {number} factor
 * @param {View} whole
 * @param {number} least
 * @returns {View}
 */
export function zoomed(view, moment, factor, whole, least) {
    const span = Math.min(whole.end - whole.begin, Math.max(least, (view.end - view.begin) * factor));
    const share = (moment - view.begin) / (view.end - view.begin);
    return within({ begin: moment - share * span, end: moment - share * span + span }, whole);
}

/**
 * @param {View} view
 * @param {number} by
 * @param {View} whole
 * @returns {View}
 */
export function moved(view, by, whole) {
    return within({ begin: view.begin + by, end: view.end + by }, whole);
}

/**
 * Around some moments, with room at both sides.
 * @param {number} begin
 * @param {number} end
 * @param {View} whole
 * @param {number} least
 * @returns {View}
 */
export function around(begin, end, whole, least) {
    const room = Math.max((end - begin) * 0.3, least / 2);
    return within({ begin: begin - room, end: end + room }, whole);
}

/** @param {View} view @param {View} whole @returns {View} */
function within(view, whole) {
    const span = Math.min(view.end - view.begin, whole.end - whole.begin);
    const begin = Math.min(Math.max(view.begin, whole.begin), whole.end - span);
    return { begin, end: begin + span };
}
