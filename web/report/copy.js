// The buttons that copy a command.

/**
 * @param {string} text
 * @returns {Promise<boolean>}
 */
async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return copyBySelection(text);
    }
}

/**
 * Where a page may not use the clipboard directly: files, old browsers.
 * @param {string} text
 * @returns {boolean}
 */
function copyBySelection(text) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
}

/** @param {Element} button */
async function pressed(button) {
    const code = button.parentElement && button.parentElement.querySelector("code");
    const done = await copyText((code && code.textContent) || "");
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => (button.textContent = "Copy"), 1500);
}

export function startCopying() {
    for (const button of document.querySelectorAll("button.copy"))
        button.addEventListener("click", () => pressed(button));
}
