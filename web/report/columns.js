// How the page's data is unpacked: report/page/page_columns.h says what was packed.

/**
 * @typedef {{count: number, begin: Float64Array, length: Float64Array, session: Uint32Array,
 *            status: Uint8Array, ops: Uint32Array}} Columns
 * Sorted by begin.  A length of -1: it is not known.  Status: 0 committed, 1 aborted, 2 unknown.
 */

/**
 * @param {string} text base64
 * @returns {Uint8Array}
 */
export function bytesOf(text) {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return bytes;
}

/**
 * @param {string} text base64 of zlib's format
 * @returns {Promise<Uint8Array>}
 */
export async function inflate(text) {
    // @ts-ignore: the compiler of Debian 12 does not know it yet
    const inflating = new DecompressionStream("deflate");
    const stream = new Blob([bytesOf(text)]).stream().pipeThrough(inflating);
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * @param {string} text
 * @returns {Promise<any>}
 */
export async function inflateJson(text) {
    return JSON.parse(new TextDecoder().decode(await inflate(text)));
}

/**
 * Numbers of 7 bits a byte, the lowest first.
 * @param {Uint8Array} bytes
 * @param {{at: number}} from where the next one stands; moves on
 * @returns {number}
 */
export function readVarint(bytes, from) {
    let number = 0, scale = 1, byte;
    do {
        byte = bytes[from.at++];
        number += (byte & 0x7f) * scale;
        scale *= 128;
    } while (byte & 0x80);
    return number;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} count
 * @returns {Columns}
 */
export function decodeColumns(bytes, count) {
    const from = { at: 0 };
    const columns = {
        count,
        begin: new Float64Array(count),
        length: new Float64Array(count),
        session: new Uint32Array(count),
        status: new Uint8Array(count),
        ops: new Uint32Array(count),
    };
    let begin = 0;
    for (let i = 0; i < count; i++) columns.begin[i] = begin += readVarint(bytes, from);
    for (let i = 0; i < count; i++) columns.session[i] = readVarint(bytes, from);
    for (let i = 0; i < count; i++) columns.length[i] = readVarint(bytes, from) - 1;
    for (let i = 0; i < count; i++) {
        const both = readVarint(bytes, from);
        columns.status[i] = both % 4;
        columns.ops[i] = Math.floor(both / 4);
    }
    return columns;
}
