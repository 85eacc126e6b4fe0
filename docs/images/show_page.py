"""Takes the picture of the service's page: ``python -m docs.images.show_page``. Needs Chromium."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from tests.chromium import Browser
from tests.web.servers import serving

from lindy import TextClassifier
from lindy.data import samples

HERE = Path(__file__).parent
TEXT = "A wonderful story, and the last chapters are a delight, though it begins in a dull way."
WIDE, HIGH = 1100, 720


def main() -> None:
    """Serve a model of the sample, show a text, and keep the upper part of the page."""
    data = samples.load("reviews-train")
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "reviews.lindy"
            TextClassifier(learner="svm").fit(data.texts, data.labels).save(path)
            with serving(path, "--examples", samples.path("reviews-test")) as server:
                browser.resize(WIDE)
                browser.show(f"http://{server.host}:{server.port}/#{urlencode({'text': TEXT})}")
                browser.find(".why .text mark")
                browser.find(".examples button")
                browser.run("document.activeElement.blur()")
                clip = {"x": 0, "y": 0, "width": WIDE, "height": HIGH, "scale": 1}
                asked = {"captureBeyondViewport": True, "clip": clip}
                picture = browser.driver.execute_cdp_cmd("Page.captureScreenshot", asked)
                (HERE / "page.png").write_bytes(base64.b64decode(picture["data"]))
    finally:
        browser.driver.quit()


if __name__ == "__main__":
    main()
