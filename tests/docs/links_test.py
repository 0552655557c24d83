"""Every link, anchor and image of the repository's pages leads somewhere, and every page of docs/ has a place in the menu."""

import os
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(os.environ["MMO_SOURCE"])
sys.path.insert(0, str(SOURCE / "docs/site"))
import offline  # noqa: E402
import pages  # noqa: E402

FOLDERS = [".", "docs", "src/mmo", "examples", "benchmarks", "study"]
IMAGE = re.compile(r"\.(png|svg|jpg)$")


def all_pages():
    return sorted(page for folder in FOLDERS for page in (SOURCE / folder).glob("*.md"))


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        broken = []
        for page in all_pages():
            if "]()" in pages.prose(page.read_text()):
                broken.append(f"{page.relative_to(SOURCE)}: a link to nothing")
            for line, target in pages.links(page.read_text()):
                if not pages.is_local(target):
                    continue
                name, _, anchor = target.partition("#")
                file = page if not name else pathlib.Path(os.path.normpath(page.parent / name))
                where = f"{page.relative_to(SOURCE)}:{line}: {target}"
                if not file.exists():
                    broken.append(f"{where}: no such file")
                elif anchor and anchor not in pages.anchors(file.read_text()):
                    broken.append(f"{where}: no such heading")
        self.assertEqual(broken, [])

    def test_links_elsewhere_are_encrypted(self):
        for page in all_pages():
            for line, target in pages.links(page.read_text()):
                with self.subTest(f"{page.relative_to(SOURCE)}:{line}"):
                    self.assertNotRegex(target, r"^http:")

    def test_every_page_is_in_the_menu_once(self):
        listed = [page for _, part in pages.menu(SOURCE) for page in part]
        self.assertEqual(len(listed), len(set(listed)))
        own = {page for page in listed if not page.startswith(("/", "reference/"))}
        self.assertEqual(own, {page.stem for page in (SOURCE / "docs").glob("*.md")} - {"index"})
        for page in listed:
            if page.startswith("/"):
                self.assertTrue((SOURCE / f"{page[1:]}.md").exists(), page)

    def test_every_image_is_shown(self):
        shown = {
            os.path.normpath(page.parent / target)
            for page in all_pages()
            for _, target in pages.links(page.read_text())
            if IMAGE.search(target)
        }
        there = {str(path) for path in (SOURCE / "docs").rglob("*") if IMAGE.search(path.name)}
        self.assertEqual(there - shown, set())


class TheParser(unittest.TestCase):
    def test_code_holds_no_links(self):
        text = "[a](b.md)\n```sh\n[c](d.md)\n```\n`[e](f.md)` ![g](h.png)\n"
        self.assertEqual(list(pages.links(text)), [(1, "b.md"), (5, "h.png")])

    def test_anchors_are_those_of_the_headings(self):
        text = "# A `b` c?\n## Same\n## Same\n```\n# no\n```\n### [A link](x.md), here\n"
        self.assertEqual(pages.anchors(text), {"a-b-c", "same", "same-1", "a-link-here"})

    def test_links_move_with_their_page(self):
        root = SOURCE
        followed = []
        text = "[guide](docs/guide.md#data) ![r](docs/images/report.png) [c](CONTRIBUTING.md) <https://a.b>"
        moved = pages.moved(text, root / "README.md", root, followed.append)
        self.assertEqual(moved, "[guide](guide.md#data) ![r](images/report.png) [c](CONTRIBUTING.md) <https://a.b>")
        self.assertEqual(
            [str(path.relative_to(root)) for path in followed],
            ["docs/guide.md", "docs/images/report.png", "CONTRIBUTING.md"],
        )


class Offline(unittest.TestCase):
    def test_finds_what_a_browser_would_fetch(self):
        for text in (
            '<script async src="https://a.b/c.js">',
            "<link rel='stylesheet' href=//a.b/c.css>",
            '<img alt="x" src="http://a.b">',
            '@import "https://a.b/c.css"',
            "@import url(https://a.b)",
            "src: url('https://a.b/c.woff2')",
        ):
            with self.subTest(text):
                self.assertRegex(text, offline.FETCHED)

    def test_links_and_own_files_are_no_requests(self):
        for text in (
            '<a href="https://a.b">',
            '<script src="_static/x.js">',
            '<link rel="canonical" href="https://a.b">',
            "url(data:image/svg+xml;charset=utf-8,<svg xmlns='http://www.w3.org/2000/svg'>)",
        ):
            with self.subTest(text):
                self.assertNotRegex(text, offline.FETCHED)


if __name__ == "__main__":
    unittest.main()
