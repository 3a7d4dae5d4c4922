"""The cost lesson in the hands of a reader: a measurement that starts, shows a first point, stops, and ends with its visitor."""

import os
import signal
import subprocess
import time

import pytest
from playwright.sync_api import expect

from dashboard.text import long_run as words
from tests.browser.hands import assert_nothing_hangs_over, assert_sound, part

# A first point at once, then some that take long.
LONG = "view=measure&kernels=traced,math&lengths=64,4096&repeats=10"
POINTS = '[data-testid="stVegaLiteChart"]'


@pytest.fixture
def open_lesson(server, visit):
    return lambda query, **options: visit(f"{server}/complexity?{query}", **options)


def press(page, text, language="en"):
    page.get_by_role("button", name=text.say(language), exact=True).click()


def test_C2_a_measurement_starts_shows_a_first_point_and_stops_with_what_it_has(open_lesson, settle):
    page = open_lesson(f"lang=en&{LONG}")
    press(page, words.START)
    expect(page.locator(POINTS)).to_be_visible(timeout=30_000)
    expect(page.get_by_text("Running: 3 of 6 steps done")).to_be_visible(timeout=30_000)
    press(page, words.STOP)
    expect(page.get_by_text("Stopped with 3 of 6 steps done")).to_be_visible()
    expect(page.get_by_role("button", name=words.AGAIN.en)).to_be_visible()
    settle(page)
    assert_sound(page)
    assert part(page, "by_length").locator("tbody td[tabindex]").count() == 2
    # Nothing polls any more: the page stays still.
    settle(page, quiet_ms=1500)
    assert "kernels=traced%2Cmath" in page.url


def test_C2_a_measurement_ends_soon_after_its_visitor_has_left(open_lesson, browser, server):
    context = browser.new_context(locale="en-US")
    leaver = context.new_page()
    leaver.goto(f"{server}/complexity?lang=en&{LONG}")
    press(leaver, words.START)
    expect(leaver.get_by_text("Running: 3 of 6 steps done")).to_be_visible(timeout=30_000)
    page = open_lesson("lang=zh&view=measure&kernels=flash&lengths=64&repeats=1")
    press(page, words.START, "zh")
    expect(page.get_by_text(words.WAITING_ONE.zh)).to_be_visible(timeout=10_000)
    context.close()
    expect(page.get_by_text("测完了：3 步")).to_be_visible(timeout=30_000)


def test_the_measuring_view_fits_a_phone(open_lesson):
    page = open_lesson("lang=zh&view=measure", viewport={"width": 390, "height": 844}, color_scheme="dark")
    assert_nothing_hangs_over(page, "measure", 390)


@pytest.mark.parametrize(("language", "done"), [("zh", "测完了：32 步"), ("en", "Done: 32 steps")])
def test_C5_a_text_is_written_both_ways_and_measured(open_lesson, settle, language, done):
    page = open_lesson(f"lang={language}&view=decoding&decode_n=64&d_model=64&h=4")
    settle(page)
    assert page.locator(POINTS).count() == 1
    press(page, words.START, language)
    expect(page.get_by_text(done)).to_be_visible(timeout=30_000)
    expect(page.locator(POINTS)).to_have_count(2)
    settle(page)
    assert_sound(page)
    # Wide or narrow, a result says when it was measured and on what.
    provenance = page.get_by_text({"zh": "torch 线程", "en": "threads of torch"}[language])
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        expect(provenance).to_be_visible()
    expect(page.get_by_text("2 · 1 · 1 · 4 · 16 · 64 · 4 = 32,768").last).to_be_visible()


def test_C5_writing_stops_with_what_it_has(open_lesson):
    page = open_lesson("lang=en&view=decoding&decode_n=900&d_model=256&h=4")
    press(page, words.START)
    expect(page.get_by_text("steps done,")).to_be_visible(timeout=30_000)
    expect(page.locator(POINTS)).to_have_count(2, timeout=30_000)
    press(page, words.STOP)
    expect(page.get_by_text("Stopped with")).to_be_visible()
    expect(page.get_by_text("of 900. With the cache they took")).to_be_visible()


def test_the_decoding_view_fits_a_phone(open_lesson):
    query = "lang=zh&view=decoding&cache=rolling&windowed=1&width=16&decode_n=64"
    page = open_lesson(query, viewport={"width": 390, "height": 844}, color_scheme="dark")
    assert_nothing_hangs_over(page, "decoding", 390)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_no_process_is_left_when_the_server_ends(cold_server, browser, how):
    server = cold_server()
    process = server.process
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    page.goto(
        f"{server.url}/complexity?lang=en&view=measure"
    )  # its process starts when somebody may want one
    expect(page.get_by_role("button", name=words.START.en, exact=True)).to_be_visible(timeout=30_000)
    context.close()
    listing = ["pgrep", "-P", str(process.pid)]
    children = []
    end = time.monotonic() + 20
    while not children and time.monotonic() < end:
        children = subprocess.run(listing, capture_output=True, text=True, check=False).stdout.split()
    assert len(children) == 1
    process.send_signal(how)
    process.wait(20)
    while os.path.exists(f"/proc/{children[0]}") and time.monotonic() < end + 20:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{children[0]}")
