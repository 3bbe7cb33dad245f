#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `monocle html` writes, in a real browser: pages are opened in one Chromium, used as a person would, and asked.

    test_coverage_browser.py MONOCLE [--screenshot FOLDER]
"""
import hashlib
import os
import pathlib

import browser_case
import chromium
import cover_file

READY = 'document.documentElement.dataset.ready'

SHOP = '''using System;

namespace Shop
{
    /* What is in it, and what it costs:
       more than one line of comment. */
    public class Basket
    {
        readonly string name = $"basket {DateTime.Now:"HH"} of {{you}}";

        public int Total (int amount, bool isGift)
        {
            if (amount > 10 && isGift)
                amount -= 1; // a gift
            for (int i = 0; i < amount; i++) amount--;
            switch (amount)
            {
                case 1: return 5;
                default: return amount;
            }
        }

        public string Name => @"a ""basket"" \\";
        void Never ()
        {
            Console.WriteLine ("never");
        }
    }
}
'''
LONG = '/*' + 'x' * 10000 + '*/\n'
HOSTILE = '</script><script>document.title="taken"</script><img src=x onerror=alert(1)>\u202e<b>\n'


def shop_coverage(folder):
    """Four sources: one that is right, one that changed, one that is not there, one that wants to be markup."""
    names = {name: str(folder / name) for name in ['src/Basket.cs', 'src/more/Changed.cs', 'src/more/Gone.cs']}
    hostile = str(folder / 'src' / 'a<img src=x onerror=alert(1)>&amp;.cs')
    os.makedirs(folder / 'src/more', exist_ok=True)
    pathlib.Path(names['src/Basket.cs']).write_bytes(SHOP.encode())
    pathlib.Path(names['src/more/Changed.cs']).write_text('one\ntwo\n' + LONG)
    pathlib.Path(hostile).write_text(HOSTILE)
    file = cover_file.File(counts=True, program='shop.dll', losses={'refused': 2})
    core, web = file.image('Shop.Core.dll'), file.image('Web<b>.dll')
    basket = file.document(names['src/Basket.cs'], hashlib.sha256(SHOP.encode()).digest())
    changed = file.document(names['src/more/Changed.cs'], hashlib.md5(b'zero').digest())
    gone, evil = file.document(names['src/more/Gone.cs']), file.document(hostile)
    type = file.type(core, 'Shop.Basket')
    points = [{'line': 13, 'hits': 12345, 'il': 0}, {'line': 14, 'hits': 0, 'il': 10},
              {'line': 15, 'hits': 8, 'il': 20, 'column': 18, 'end_column': 27},
              {'line': 15, 'hits': 0, 'il': 30, 'column': 46, 'end_column': 55},
              {'line': 16, 'hits': 8, 'il': 40}, {'line': 18, 'hits': 0, 'il': 50}, {'line': 19, 'hits': 8, 'il': 60}]
    arms = [{'point': 0, 'path': 0, 'hits': 0, 'il': 2, 'target': 4},
            {'point': 0, 'path': 1, 'hits': 9, 'il': 2, 'target': 20},
            {'point': 0, 'path': 0, 'hits': 0, 'il': 6, 'target': 10},
            {'point': 0, 'path': 1, 'hits': 0, 'il': 6, 'target': 20},
            {'point': 4, 'path': 0, 'hits': 8, 'il': 42, 'target': 60, 'switch': 1},
            {'point': 4, 'path': 1, 'hits': 0, 'il': 42, 'target': 50, 'switch': 1}]
    file.method(type, 'Total (int,bool)', points, arms, document=basket)
    file.method(type, 'get_Name ()', [(23, 3)], document=basket)
    file.method(type, 'Never ()', [(25, 0), (26, 0), (27, 0)], document=basket)
    file.method(file.type(core, 'Shop.Changed'), 'F ()', [(1, 1), (2, 0), (9, 1)], document=changed)
    file.method(file.type(web, 'Web.Gone`1/Inner'), 'G ()', [(3, 1), (4 * 10**9, 0)], document=gone)
    file.method(file.type(web, 'Web.<i>&lt;'), 'H<b>\u202e ()', [(1, 1)], document=evil)
    path = folder / 'shop.mcov'
    file.write(path)
    return path


def many_files(folder, count):
    """No sources; three lines in each file, of which the second is missed in every other one."""
    file = cover_file.File()
    image = file.image('Many.dll')
    for i in range(count):
        document = file.document('/many/part%d/File%d.cs' % (i // 100, i))
        file.method(file.type(image, 'Many.Class%d' % i), 'Do ()', [(1, 1), (2, i % 2), (3, 1)], document=document)
    file.write(folder / 'many.mcov')
    return folder / 'many.mcov'


class Page(browser_case.Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shop = cls.html(shop_coverage(cls.folder))

    @classmethod
    def html(cls, path, *options):
        cls.run_monocle('html', path, '-o', path.with_suffix('.html'), *options)
        return path.with_suffix('.html')

    def setUp(self):
        self.browser.size(1200, 800)

    def open(self, link='', page=None):
        self.browser.open(page or self.shop, link)
        self.browser.until(READY)

    def text(self, selector):
        return self.see('document.querySelector(%r).textContent' % selector)

    def rows(self):
        return self.see('''[...document.querySelectorAll("#rows tr")].map(row =>
            [row.querySelector(".name").textContent, row.cells[1].textContent, row.cells[2].textContent])''')

    def press(self, key, condition):
        self.browser.key(key)
        self.browser.until(condition)

    def line(self, number):
        """Kind, mark, hits and branches of a line, as they are shown."""
        return self.see('''(row => [row.className, (row.querySelector(".mark").firstChild || { data: "" }).data,
            row.querySelector(".hits").textContent, row.querySelector(".ways").textContent])(
            document.querySelector('.num[data-line="%d"]').parentNode)''' % number)

    def test_sums_losses_and_sources_are_told(self):
        self.open()
        self.assertEqual(self.text('#title'), 'shop.mcov')
        cards = self.see('[...document.querySelectorAll(".card")].map(card => card.textContent)')
        self.assertEqual(cards, ['Lines56.2 %9 of 16, 7 missed', 'Branches33.3 %2 of 6, 4 missed',
                                 'Methods83.3 %5 of 6, 1 missed'])
        for words in ['2 methods could not be given counters', '1 source changed after it was compiled',
                      '1 source could not be shown']:
            self.assertIn(words, self.text('#notices'))
        self.assertIn('shop.dll · CoreCLR 9.0.0', self.text('#about'))

    def test_what_is_seen_is_a_part_of_its_label(self):
        self.open()
        self.assertEqual(self.see(chromium.UNLABELLED), [])

    def test_the_tree_is_sorted_folded_and_filtered(self):
        self.open()
        names = [row[0] for row in self.rows()]
        self.assertEqual(names, ['Shop.Core.dll', 'more', 'Changed.cs', 'Basket.cs', 'Web<b>.dll', 'more', 'Gone.cs',
                                 'a<img src=x onerror=alert(1)>&amp;.cs'])
        self.assertEqual(self.rows()[3], ['Basket.cs', '50.0 %', '5'])
        self.see('document.querySelectorAll("#heads button")[2].click()')
        self.browser.until('location.hash === "#sort=-missed"')
        self.assertEqual([row[0] for row in self.rows()][:3], ['Shop.Core.dll', 'Basket.cs', 'more'])
        self.see('document.querySelectorAll("#rows .turn")[1].click()')
        self.assertIn(['Shop.Basket', '50.0 %', '5'], self.rows())
        self.see('document.querySelectorAll("#rows .turn")[0].click()')
        self.assertEqual([row[0] for row in self.rows()][:2], ['Shop.Core.dll', 'Web<b>.dll'])
        self.see('document.querySelector("#only").click()')
        self.browser.until('location.hash.includes("only=missed")')
        self.see('document.querySelector("[data-view=files]").click()')
        self.browser.until('location.hash.includes("view=files")')
        self.assertEqual([row[0] for row in self.rows()], ['Basket.cs', 'more/Changed.cs', 'more/Gone.cs'])

    def test_search_finds_files_classes_and_methods_and_back_goes_back(self):
        self.open()
        self.browser.key('/')
        for key in 'basket':
            self.browser.key(key)
        self.browser.until('location.hash === "#q=basket"')
        self.assertEqual([row[0] for row in self.rows()], ['Basket.cs', 'Shop.Basket'])
        self.see('monocle.go({ q: "basket.total" })')
        self.assertEqual(self.rows(), [['Total (int,bool)', '66.6 %', '2']])
        self.see('document.querySelector("#rows a").focus()')
        self.see('document.querySelector("#rows a").click()')
        self.browser.until('monocle.view()')
        self.assertEqual(self.see('location.hash'), '#file=Basket.cs&line=13&q=basket.total')
        self.see('history.back()')
        self.browser.until('!monocle.state().file')
        self.assertEqual(self.text('#found'), '1 found')
        self.assertIn('12,345 calls', self.text('#rows'))
        self.browser.until('document.activeElement.className === "name"')
        self.see('monocle.go({ q: "no such thing" })')
        self.assertEqual(self.text('#found'), 'nothing found')

    def test_a_source_shows_hits_misses_and_ways_that_were_not_taken(self):
        self.open('#file=Basket.cs&line=15')
        self.assertEqual(self.line(12), ['row ', '', '', ''])
        self.assertEqual(self.line(13), ['row part', '◐', '12k×', '1/4'])
        self.assertEqual(self.line(14), ['row miss', '✗', '0', ''])
        self.assertEqual(self.line(15), ['row part here', '◐', '8×', ''])
        self.assertEqual(self.line(19), ['row hit', '✓', '8×', ''])
        self.assertEqual(self.text('.here .text'), SHOP.split('\n')[14])
        self.assertEqual(self.text('.never'), 'amount--;')
        ask = 'document.querySelector(\'.num[data-line="%d"]\').parentNode.querySelector("button").focus()'
        self.see(ask % 13)
        self.assertEqual(self.text('#tip'), 'branch 1: 1 of 2; the way on within the line was never taken\n'
                                            'branch 2: 0 of 2; the way on to line 14 was never taken, '
                                            'the jump to line 15 was never taken')
        self.see(ask % 16)
        self.assertEqual(self.text('#tip'), '1 of 2; case 0 of the switch to line 18 was never taken')
        self.assertIn('50.0 % of 10 lines, 5 missed', self.text('#facts'))
        self.assertTrue(self.see('document.querySelector("#source-notice").hidden'))
        self.assertEqual(self.see(chromium.UNLABELLED), [])

    def test_keys_go_to_what_is_missed(self):
        self.open('#file=Basket.cs')
        for key, line in [('n', 14), ('n', 18), ('n', 25), ('p', 18), ('b', 0), ('B', 16)]:
            self.browser.key(key)
            if line:
                self.browser.until('monocle.state().line === %d' % line)
        self.assertEqual(self.text('.here .num'), '16')
        self.see('monocle.go({ line: 27 })')
        self.press('n', 'document.querySelector("#said").textContent')
        self.assertIn('no further missed line', self.text('#said'))
        self.press('[', 'monocle.state().file === "more/Changed.cs"')
        self.press('u', '!monocle.state().file')
        self.press('d', 'document.documentElement.dataset.theme === "dark"')
        self.press('?', 'document.querySelector("#keys").open')

    def test_sources_that_changed_or_are_gone_say_so(self):
        self.open('#file=more/Changed.cs')
        self.assertIn('changed after it was compiled', self.text('#source-notice'))
        self.assertEqual(self.line(9)[0], 'row hit')
        self.assertTrue(self.text('.c').startswith('/*xxx'))
        self.assertIn('(5,004 more characters)', self.text('#lines'))
        self.assertEqual(self.see('document.activeElement.id'), 'code')
        self.open('#file=more/Gone.cs&line=4000000000')
        self.assertIn('was not found on this machine', self.text('#source-notice'))
        self.assertEqual(self.see('monocle.view().lines.map(line => line.number)'), [3, 4000000000])
        self.assertEqual(self.line(4000000000), ['row miss here', '✗', '0', ''])
        self.open('#file=nothing.cs')
        self.assertIn('no such file', self.text('#source-notice'))

    def test_without_sources_their_text_is_not_in_the_page(self):
        page = self.html(shop_coverage(self.folder), '--no-sources', '--title=a <b>title</b>')
        self.open('#file=Basket.cs', page)
        self.assertIn('--no-sources', self.text('#source-notice'))
        self.assertEqual(self.line(13)[0], 'row part')
        self.assertEqual(self.see('document.title'), 'Basket.cs – a <b>title</b>')
        Page.shop = self.html(shop_coverage(self.folder))

    def test_hostile_names_and_texts_stay_text(self):
        self.open()
        before = self.see('[document.scripts.length, document.images.length]')
        self.see('monocle.go({ view: "classes" })')
        self.assertIn('Web.<i>&lt;', [row[0] for row in self.rows()])
        self.see('monocle.go({ q: "img" })')
        self.see('document.querySelector("#rows a").click()')
        self.browser.until('monocle.view()')
        self.assertEqual(self.text('.text'), HOSTILE.strip().replace('\u202e', '\ufffd'))
        self.assertEqual(self.see('[document.scripts.length, document.images.length]'), before)
        self.assertNotEqual(self.see('document.title'), 'taken')
        self.assertNotIn('\u202e', self.see('document.documentElement.innerText'))

    def test_csharp_is_coloured(self):
        self.open('#file=Basket.cs')
        kinds = self.see('''[...document.querySelectorAll("#lines .text span")].map(span =>
            span.className.trim() + ":" + span.textContent)''')
        for piece in ['k:namespace', 'c:// a gift', 'd:10', 's:"never"', 's:@"a ""basket"" \\"', 'k:default',
                      's:$"basket {DateTime.Now:"HH"} of {{you}}"', 'c:       more than one line of comment. */']:
            self.assertIn(piece, kinds)
        text = r"""$@"a {x["b"]} ""c" + 'd' + "e\"f" + $$""" + '"""' + '''"g"''' + '"""' + ' if'
        self.assertEqual(self.see('monocle.colour(%r).map(piece => piece[2]).join("")' % text), 'ssssk')

    def test_ten_thousand_files_are_drawn_a_part_at_a_time(self):
        self.open('#view=files', self.html(many_files(self.folder, 10000)))
        self.assertEqual(self.text('#found'), '10,000 files')
        drawn = self.see('document.querySelectorAll("#rows tr").length')
        self.assertTrue(0 < drawn < 1000, drawn)
        self.see('document.querySelector("#overview").scrollTop = 1e9')
        self.browser.until('document.querySelectorAll("#rows tr").length > %d' % drawn)
        self.see('monocle.go({ view: "tree", q: "class9999" })')
        self.assertEqual([row[0] for row in self.rows()], ['Many.Class9999'])

    def test_colours_can_be_told_apart(self):
        """Each text on its background: a contrast of 4.5 to 1 at least (WCAG 2, AA)."""
        self.open('#file=Basket.cs')
        for theme in ['light', 'dark']:
            colours = self.see('''(document.documentElement.dataset.theme = %r, Object.fromEntries(
                [...document.styleSheets[0].cssRules[0].style].filter(name => name.startsWith("--")).map(name =>
                [name.slice(2), getComputedStyle(document.documentElement).getPropertyValue(name).trim()])))''' % theme)
            backs = ['back', 'hit-back', 'miss-back', 'part-back']
            for text in ['text', 'dim', 'hit', 'miss', 'part', 'keyword', 'string', 'comment', 'number']:
                for back in backs:
                    self.assertGreater(contrast(colours[text], colours[back]), 4.5, (theme, text, back))


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def take_screenshots(folder):
    """For people to look at: light, dark, and on a telephone; the table, a source, and paper."""
    Page.setUpClass()
    browser = Page.browser
    for name, width, height, scale, is_dark in [('light', 1200, 800, 1, False), ('dark', 1200, 800, 1, True),
                                                ('narrow', 390, 800, 2, False)]:
        browser.size(width, height, scale, scale > 1)
        browser.dark(is_dark)
        for kind, link in [('table', ''), ('source', '#file=Basket.cs&line=13')]:
            browser.open(Page.shop, link)
            browser.until(READY)
            browser.screenshot(folder / ('%s-%s.png' % (kind, name)))
    browser.print(folder / 'source.pdf')


if __name__ == '__main__':
    browser_case.main(take_screenshots=take_screenshots)
