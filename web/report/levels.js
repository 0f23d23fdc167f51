// The lattice: a level that is chosen shows its definition and why it has its colour.

import { dataOf, make } from "./dom.js";

/**
 * @typedef {{state: string, why: string, name: string, definition: string, source: string,
 *            databases: string[]}} Level
 */

/**
 * @param {string} friendly
 * @param {Level} level
 * @returns {Node[]}
 */
function describeLevel(friendly, level) {
    const state = level.state.replace("-", " ");
    const nodes = [
        make("h3", {}, friendly, level.name === friendly ? "" : ` (${level.name})`),
        make("p", {}, make("span", { class: `outcome ${level.state}` }, state), " ", level.why),
        make("p", {}, level.definition),
        make("p", { class: "why" }, level.source),
    ];
    if (level.databases.length)
        nodes.push(make("p", {}, `In databases: ${level.databases.join("; ")}.`));
    return nodes;
}

/** @param {Element} group @param {Record<string, Level>} levels */
function chooseLevel(group, levels) {
    const friendly = group.getAttribute("data-level") || "";
    const panel = document.getElementById("level");
    for (const other of document.querySelectorAll(".level.chosen")) other.classList.remove("chosen");
    group.classList.add("chosen");
    if (panel) panel.replaceChildren(...describeLevel(friendly, levels[friendly]));
}

export function startLevels() {
    /** @type {Record<string, Level>} */
    const levels = dataOf("level-data");
    if (!levels) return;
    for (const group of document.querySelectorAll(".lattice .level")) {
        group.addEventListener("click", () => chooseLevel(group, levels));
        group.addEventListener("keydown", (event) => {
            const key = /** @type {KeyboardEvent} */ (event).key;
            if (key !== "Enter" && key !== " ") return;
            event.preventDefault();
            chooseLevel(group, levels);
        });
    }
}
