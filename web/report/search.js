// Search by transaction, key or value.

/**
 * The places of transactions whose name is the text or contains it, or one of whose operations that
 * are there does; exact names first, at most 'most'.
 * @param {string[] | null} names
 * @param {Record<string, string[]>} ops
 * @param {string} text
 * @param {number} most
 * @returns {number[]}
 */
export function searchPlaces(names, ops, text, most) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return [];
    /** @type {number[]} */
    const exact = [], part = [];
    const has = new Set();
    for (let i = 0; names && i < names.length && part.length < most; i++) {
        const name = names[i].toLowerCase();
        if (name === wanted) exact.push(i);
        else if (name.includes(wanted)) part.push(i);
        else continue;
        has.add(i);
    }
    for (const [place, texts] of Object.entries(ops)) {
        if (part.length >= most) break;
        if (!has.has(Number(place)) && texts.some((op) => op.toLowerCase().includes(wanted)))
            part.push(Number(place));
    }
    return exact.concat(part).slice(0, most);
}
