"""A real browser for tests, and what they look for in a page."""

from __future__ import annotations

import json
import shutil
from typing import Any

WIDER_THAN_THE_WINDOW = """
document.querySelectorAll("details").forEach(e => e.open = true);
return [...document.querySelectorAll("body, body *")].filter(e => {
    const box = e.getBoundingClientRect(), inside = e.parentElement.closest(".scroll");
    return !inside && box.width > 0 && (box.left < -0.5 || box.right > innerWidth + 0.5);
}).map(e => e.outerHTML.slice(0, 100));
"""

# WCAG's contrast of every text with what is below it; half transparent backgrounds are laid over each other
CONTRAST = """
const parts = colour => colour.match(/[\\d.]+/g).map(Number);
const over = (top, below) => { const a = top[3] ?? 1; return below.map((c, i) => a * top[i] + (1 - a) * c); };
const light = rgb => { const [r, g, b] = rgb.map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const ground = e => !e ? [255, 255, 255] : over(parts(getComputedStyle(e).backgroundColor), ground(e.parentElement));
document.querySelectorAll("details").forEach(e => e.open = true);
return [...document.querySelectorAll("main *, .lindy *")].filter(
    e => [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) && e.checkVisibility()
).map(e => {
    const below = ground(e), style = getComputedStyle(e);
    const [a, b] = [light(over(parts(e.tagName == "text" ? style.fill : style.color), below)), light(below)];
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.outerHTML.slice(0, 100)];
}).filter(([contrast, _]) => contrast < 4.5);
"""


# as root, without a screen, and without the requests that a browser makes on its own account
_ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


class Browser:
    """Chromium without a window, at first as wide as a telephone."""

    def __init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for argument in _ARGUMENTS:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver: Any = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.resize(390)

    def resize(self, width: int) -> None:
        """Make the window as wide as this; below 500 pixels it is a telephone's."""
        screen = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)

    def show(self, address: str, scheme: str = "light", media: str = "screen") -> None:
        self.paint(scheme, media)
        self.driver.get(address)

    def paint(self, scheme: str, media: str = "screen") -> None:
        """Show what is shown in light or dark, on the screen or in print."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str, *arguments: Any) -> Any:
        """Return what a script returns, as soon as that is something."""
        from selenium.webdriver.support.wait import WebDriverWait

        return WebDriverWait(self.driver, 30, 0.02).until(
            lambda driver: driver.execute_script(script, *arguments)
        )

    def find(self, selector: str) -> Any:
        """Return the first element of a CSS selector, as soon as it is there."""
        return self.wait("return document.querySelector(arguments[0])", selector)

    def text(self, selector: str) -> str:
        """Return the text of such an element."""
        return str(self.run("return arguments[0].textContent", self.find(selector)))

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def focused(self) -> str:
        """Return what the focused element is called: its label, its text, or its name."""
        return str(
            self.run(
                "const e = document.activeElement;"
                "return (e.labels?.[0]?.textContent || e.getAttribute('aria-label') || e.textContent || e.id).trim()"
            )
        )

    def requests(self) -> set[str]:
        """Return the addresses that were asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
