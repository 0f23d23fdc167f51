"""Opens the reports NAME.html in a folder in Chromium, and holds them to NAME.json.

report.py FOLDER [PICTURES]: with a folder for pictures, each page is saved there in three widths and
both colour schemes.  Prints "ok NAME" and "not ok NAME: why" lines; fails only if the browser does.
"""
import json
import os
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--allow-file-access-from-files"]

# What is hard to read: text whose contrast with what is behind it is too low.
LOW_CONTRAST = """
const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (node) => {
    for (; node; node = node.parentElement) {
        const colour = parse(getComputedStyle(node).backgroundColor);
        if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
};
const found = [];
for (const node of document.querySelectorAll("body *")) {
    if (node.closest("svg") || !node.checkVisibility || !node.checkVisibility()) continue;
    if (![...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())) continue;
    const a = light(parse(getComputedStyle(node).color)), b = light(behind(node));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`${node.tagName}.${node.className} ${contrast.toFixed(2)} ${node.textContent.slice(0, 30)}`);
}
return found;
"""

# What a screen reader cannot name.
NAMELESS = """
return [...document.querySelectorAll("button, [role=button], input, canvas, a, select, svg")]
    .filter((node) => !(node.getAttribute("aria-label") || node.getAttribute("title") || node.textContent.trim()))
    .map((node) => node.outerHTML.slice(0, 80));
"""


class Tests:
    def __init__(self, folder, pictures):
        self.folder, self.pictures, self.page = folder, pictures, None
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in FLAGS:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)

    def hold(self, what, good, why=""):
        line = f"{self.page}: {what}"
        print(f"ok {line}" if good else f"not ok {line}: {str(why)[:600]}", flush=True)

    def same(self, what, expected, got):
        self.hold(what, expected == got, f"expected {expected!r}, got {got!r}")

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": name}]})

    # ---- what every page must be ----

    def is_quiet(self):
        """No error in the console, no request but for the file itself and data in it."""
        errors = [e["message"] for e in self.driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
        self.hold("nothing in the console", not errors, errors)
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        abroad = [url for url in urls if not url.startswith(("file://", "data:", "blob:"))]
        others = [url for url in urls if url.startswith("file://") and not url.endswith(f"/{self.page}.html")]
        self.hold("no request leaves it", not abroad and not others, abroad + others)

    def is_ours(self):
        """Nothing that a user wrote became an element."""
        scripts = self.script("return [...document.scripts].filter((s) => s.type !== 'application/json').length")
        self.same("one script", 1, scripts)
        self.same("no picture of a user's", 0, len(self.all("img")))
        self.same("no error handlers", 0, len(self.all("[onerror], [onload], [onclick]")))

    def says_what_json_says(self, report):
        verdicts = [(e.get_attribute("data-level"), e.get_attribute("data-verdict")) for e in self.all(".verdicts li")]
        self.same("verdicts", [(r["level"], r["verdict"]) for r in report["results"]], verdicts)
        shown = {e.get_attribute("data-type") for e in self.all("#anomalies article")}
        types = {a["type"] for r in report["results"] for a in r["anomalies"]}
        self.hold("anomalies", shown <= types and bool(shown) == bool(types), f"{shown} of {types}")
        text = self.driver.find_element(By.TAG_NAME, "body").text
        for result in report["results"]:
            if result.get("reason"):
                self.hold("the reason", result["reason"] in text, result["reason"])
        facts = {e.find_element(By.TAG_NAME, "dt").text: e.find_element(By.TAG_NAME, "dd").text
                 for e in self.all(".facts > div")}
        self.same("committed", report["history"]["committed"], int(facts["committed"].replace(",", "")))

    def fits(self):
        for width in (360, 1280, 3840):
            self.resize(width, 900)
            wide = self.script("return document.documentElement.scrollWidth")
            self.hold(f"fits {width}", wide <= width, f"{wide} pixels")

    def can_be_read(self):
        self.resize(1280, 900)
        for scheme in ("light", "dark"):
            self.scheme(scheme)
            low = self.script(LOW_CONTRAST)
            self.hold(f"contrast, {scheme}", not low, low)
        self.scheme("light")
        nameless = self.script(NAMELESS)
        self.hold("all controls have names", not nameless, nameless)

    def levels_answer(self, report):
        for result in report["results"][:3]:
            group = self.all(f'.lattice [data-level="{result["level"]}"]')
            if not group:
                self.hold(f"{result['level']} is in the lattice", False)
                continue
            self.hold(f"colour of {result['level']}", result["verdict"] in group[0].get_attribute("class"))
            self.script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", group[0])
            text = self.driver.find_element(By.ID, "level").text
            self.hold(f"{result['level']} explains itself", result["level"] in text and result["verdict"] in text, text)
        group = self.all('.lattice [data-level="read-uncommitted"]')[0]
        self.script("arguments[0].focus()", group)
        self.driver.switch_to.active_element.send_keys(Keys.ENTER)
        self.hold("by keyboard", "read-uncommitted" in self.driver.find_element(By.ID, "level").text)

    def copies(self):
        for button in self.all("button.copy")[:1]:
            self.script("arguments[0].scrollIntoView()", button)
            button.click()
            time.sleep(0.1)
            self.same("copies", "Copied", button.text)

    def drawn(self):
        """What the canvas shows, once it has been drawn."""
        time.sleep(0.15)
        return self.script("const c = document.querySelector('#timeline canvas'); return c.toDataURL()")

    def timeline_answers(self, report):
        total = sum(report["history"][name] for name in ("committed", "aborted", "unknown"))
        self.same("a timeline", 1 if total else 0, len(self.all("#timeline canvas")))
        if not total:
            return
        for _ in range(100):
            if self.script("return document.querySelector('#timeline canvas').dataset.ready") == "true":
                break
            time.sleep(0.05)
        canvas = self.all("#timeline canvas")[0]
        self.script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].focus()", canvas)
        canvas.send_keys("0")
        whole = self.drawn()
        empty = self.script("const c = document.createElement('canvas'), d = document.querySelector('#timeline canvas');"
                            "c.width = d.width; c.height = d.height; return c.toDataURL()")
        self.hold("something is drawn", whole != empty)
        canvas.send_keys("+", "+")
        near = self.drawn()
        self.hold("+ zooms", near != whole or total <= 10)
        canvas.send_keys(Keys.ARROW_LEFT, "0")
        self.same("0 shows everything", whole, self.drawn())
        canvas.send_keys("?")
        self.hold("? helps", self.all("#timeline .help")[0].is_displayed())
        canvas.send_keys("?", "/")
        active = self.driver.switch_to.active_element
        self.same("/ searches", "search", active.get_attribute("type"))
        names = [t for r in report["results"] for a in r["anomalies"] for t in a["transactions"]]
        if names:
            active.send_keys(names[0], Keys.ENTER)
            self.drawn()
            self.hold("and finds", "found" in self.all("#timeline .count")[0].text, self.all("#timeline .count")[0].text)
            told = self.all("#timeline .details")[0].text
            self.hold("the transaction", names[0].split("/")[-1] in told and "session" in told, f"{names[0]}: {told}")
            options = self.all("#timeline select option")
            self.hold("anomalies to jump to", len(options) > 1)
            active.send_keys(Keys.ESCAPE)
            canvas.send_keys("a")
            self.hold("a shows one", self.drawn() != whole)

    def pictured(self):
        for width in (360, 1280, 2560):
            for scheme in ("light", "dark"):
                self.resize(width, 900)
                self.scheme(scheme)
                height = self.script("return document.documentElement.scrollHeight")
                self.resize(width, min(height, 6000))
                time.sleep(0.3)
                self.driver.save_screenshot(os.path.join(self.pictures, f"{self.page}-{width}-{scheme}.png"))
        self.scheme("light")

    def look_at(self, name):
        self.page = name
        report = json.load(open(os.path.join(self.folder, name + ".json"), encoding="utf-8"))
        self.driver.get(f"file://{self.folder}/{name}.html")
        self.is_ours()
        self.says_what_json_says(report)
        self.levels_answer(report)
        self.timeline_answers(report)
        self.copies()
        self.can_be_read()
        self.fits()
        self.is_quiet()
        if self.pictures:
            self.pictured()


    def look_at_explored(self, name):
        """A page of 'esse explore': its rows are the results, its articles what is broken."""
        self.page = name
        told = json.load(open(os.path.join(self.folder, name + ".json"), encoding="utf-8"))
        self.driver.get(f"file://{self.folder}/{name}.html")
        self.is_ours()
        rows = [(e.get_attribute("data-level"), e.get_attribute("data-verdict") == "broken",
                 int(e.find_elements(By.TAG_NAME, "td")[2].text.replace(",", ""))) for e in self.all("tr[data-level]")]
        self.same("levels", [(r["level"], bool(r["broken"]), r["histories"]) for r in told["results"]], rows)
        broken = [r for r in told["results"] if r["broken"]]
        shown = broken[-1:] if "weakest" in told else broken
        self.same("broken claims", sum(len(r["broken"]) for r in shown), len(self.all("#broken article")))
        text = self.driver.find_element(By.TAG_NAME, "body").text
        for result in shown:
            for claim in result["broken"]:
                self.hold("what is broken", claim["text"] in text, claim["text"])
        if told.get("weakest"):
            self.hold("the weakest level", told["weakest"] in self.all("h1")[0].text, self.all("h1")[0].text)
        self.can_be_read()
        self.fits()
        self.is_quiet()
        if self.pictures:
            self.pictured()


def main():
    tests = Tests(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
    try:
        for file in sorted(os.listdir(tests.folder)):
            if file.startswith("explored-") and file.endswith(".html"):
                tests.look_at_explored(file[:-5])
            elif file.endswith(".html"):
                tests.look_at(file[:-5])
    finally:
        tests.driver.quit()


main()
