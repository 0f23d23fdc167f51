// Small helpers around the document.

/**
 * An element with text or children; what a user wrote only ever becomes text.
 * @param {string} name
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
}

/**
 * The data that the page carries under an id; null if there is none.
 * @param {string} id
 * @returns {any}
 */
export function dataOf(id) {
    const element = document.getElementById(id);
    return element ? JSON.parse(element.textContent || "null") : null;
}
