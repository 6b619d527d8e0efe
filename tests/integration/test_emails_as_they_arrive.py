"""Emails to people as Gmail shows them: without html, head, body and style elements, and with images off."""

import re

import pytest

from mail_service.catalogue import TEMPLATES
from mail_service.languages import LANGUAGES
from mail_service.rendering import EmailRenderer
from tests.integration.gift_page_browser import PHONE, Visit

pytestmark = pytest.mark.asyncio(loop_scope="session")

PEOPLE = {name: template for name, template in TEMPLATES.items() if template.category != "ops"}
RENDERER = EmailRenderer("https://app.example.org")
SHELL = '<!doctype html><html lang="en" dir="ltr"><body style="background:#fff;color:#999">{}</body></html>'
FAULTS = r"""([lang, dir]) => {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((each) => channel(Number(each) / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return colour === "rgba(0, 0, 0, 0)" && element.parentElement ? behind(element.parentElement) : colour;
  };
  const faults = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const elements = new Set(document.images);
  while (texts.nextNode()) if (texts.currentNode.data.trim()) elements.add(texts.currentNode.parentElement);
  for (const element of elements) {
    if (!element.checkVisibility()) continue;
    const words = (element.alt ?? element.textContent).trim().slice(0, 40);
    const style = getComputedStyle(element);
    const [low, high] = [light(style.color), light(behind(element))].sort((one, other) => one - other);
    if ((high + 0.05) / (low + 0.05) < 4.5) faults.push(`faint: ${words}`);
    if (element.closest("[lang]").lang !== lang) faults.push(`language: ${words}`);
    if (!element.closest("bdi") && style.direction !== dir) faults.push(`direction: ${words}`);
    if (element.alt === "") faults.push("picture without words");
  }
  return elements.size < 20 ? ["hardly a word"] : faults;
}"""


def arrive(document: str) -> str:
    """Return what is left of an email's HTML in a page whose own language is English."""
    body = re.search(r"<body[^>]*>(.*)</body>", document, re.DOTALL)
    assert body is not None
    return SHELL.format(body[1])


@pytest.mark.parametrize("code", ["ar", "de", "ja"])
async def test_direction_language_and_contrast_stay_without_the_head(visit: Visit, code: str) -> None:
    page = (await visit(PHONE)).page
    for name, template in PEOPLE.items():
        for role in ("owner", "beneficiary") if template.category == "reminder" else (None,):
            await page.set_content(arrive(RENDERER.render_sample(template, role, code).html))
            direction = "rtl" if code == "ar" else "ltr"
            assert await page.evaluate(FAULTS, [LANGUAGES[code], direction]) == [], (name, role)
