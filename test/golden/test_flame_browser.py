#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The flame graph in a real browser: a script acts like a person and writes down what it sees.

    test_flame_browser.py MONOCLE [--screenshot FOLDER]
"""
import re

import browser_case
import harness
import pprof

PROBE = '''(() => {
const seen = {}, m = window.monocle, $ = id => document.getElementById(id);
const key = (name, target) => (target || document).dispatchEvent(
    new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const frame = m.draw; /* a page that nobody looks at gets no animation frames */
const find = name => { for (let i = 0; i < m.count; i++) if (m.nameAt(i) === name) return i; return -1; };
%s
return seen; })()'''


class Acted(browser_case.Page):
    def act(self, page, script):
        self.browser.open(page)
        return self.see(PROBE % script)


class Page(Acted):
    def flame(self, data, *options):
        self.write('profile', data)
        self.run_monocle('flame', 'profile.pb.gz', '-o', 'page.html', *options)
        return self.folder / 'page.html'

    def test_totals_and_places_agree_with_the_profile(self):
        seen = self.act(self.flame(self.golden('calls')), '''
            seen.total = m.totals[1][0]; seen.calls = m.totals[0][0];
            const start = m.startOf(); seen.wrong = 0;
            for (let i = 1; i < m.count; i++) {
                const p = m.parentOf[i];
                const end = start[i] + m.totals[1][i], outer = start[p] + m.totals[1][p];
                if (start[i] < start[p] - 1e-6 || end > outer + 1e-6) seen.wrong++;
            }
            frame(); seen.drawn = m.state().drawn;
            seen.fib = m.totals[1][find("App.Work.Fib (int)")];''')
        self.assertEqual(seen['total'], 3012797355)
        self.assertEqual(seen['calls'], 1234594)
        self.assertEqual(seen['wrong'], 0)
        self.assertGreaterEqual(seen['drawn'], 4)

    def test_search_tells_the_share_without_counting_nested_frames_twice(self):
        seen = self.act(self.flame(self.golden('calls')), '''
            m.search("Fib"); seen.fib = m.state().matched;
            m.search("fib \\\\("); seen.lower = m.state().matched;
            m.search("FIB"); seen.upper = m.state().matched;
            m.search("("); seen.broken = m.state().matched; seen.wrong = $("search").classList.contains("wrong");
            m.search(""); seen.none = m.state().matched;''')
        self.assertEqual(seen['fib'], '3 frames, 3.000 s, 99.6 % matched')
        self.assertEqual(seen['lower'], seen['fib'])
        self.assertTrue(seen['upper'].startswith('0 frames'))
        self.assertTrue(seen['wrong'])
        self.assertTrue(seen['broken'].startswith('7 frames'))
        self.assertEqual(seen['none'], '')

    def test_keys_select_zoom_and_reset(self):
        seen = self.act(self.flame(self.golden('calls')), '''
            key("ArrowDown"); seen.first = m.nameAt(m.state().selected);
            key("ArrowDown"); seen.second = m.nameAt(m.state().selected);
            key("ArrowLeft"); key("ArrowRight"); seen.same = m.nameAt(m.state().selected);
            key("Enter"); seen.zoomed = m.nameAt(m.state().zoomed);
            key("Backspace"); seen.out = m.nameAt(m.state().zoomed);
            key("Escape"); seen.reset = m.state().zoomed;
            key("/"); seen.focus = document.activeElement.id;
            $("search").value = "Join"; $("search").dispatchEvent(new Event("input"));
            key("Enter", $("search")); seen.hit = m.nameAt(m.state().selected);
            key("Escape", $("search")); seen.cleared = m.state().matched;
            key("d"); seen.theme = document.documentElement.dataset.theme;
            key("i"); seen.flip = $("flip").textContent;
            key("m"); seen.metric = $("metric").value;
            key("?"); seen.help = $("keys").open;''')
        self.assertEqual(seen['first'], 'App.Program.Main (string[])')
        self.assertEqual(seen['second'], 'App.Work.Fib (int)')
        self.assertEqual(seen['same'], 'App.Work.Fib (int)')
        self.assertEqual(seen['zoomed'], 'App.Work.Fib (int)')
        self.assertEqual(seen['out'], 'App.Program.Main (string[])')
        self.assertEqual(seen['reset'], 0)
        self.assertEqual(seen['focus'], 'search')
        self.assertTrue(seen['hit'].startswith('App.Text.Join<T>'))
        self.assertEqual((seen['cleared'], seen['flip'], seen['metric'], seen['help']), ('', 'Icicle', '0', True))
        self.assertIn(seen['theme'], ['dark', 'light'])

    def test_the_mouse_shows_and_zooms(self):
        seen = self.act(self.flame(self.golden('calls')), '''
            const area = $("canvas").getBoundingClientRect();
            const at = (type, row) => $("canvas").dispatchEvent(new MouseEvent(type,
                { clientX: area.left + area.width * 0.3, clientY: area.top + 18 * row + 9, bubbles: true }));
            at("mousemove", 2); seen.tip = $("tip").textContent; seen.shown = $("tip").style.display;
            at("click", 2); frame(); seen.zoomed = m.nameAt(m.state().zoomed); seen.status = $("status").textContent;
            frame(); at("click", 0); frame(); seen.back = m.state().zoomed;
            at("mousemove", 20); seen.hidden = $("tip").style.display;''')
        self.assertIn('App.Work.Fib (int)', seen['tip'])
        self.assertIn('app.exe', seen['tip'])
        self.assertEqual((seen['shown'], seen['hidden'], seen['back']), ('block', 'none', 0))
        self.assertEqual(seen['zoomed'], 'App.Work.Fib (int)')
        self.assertIn('99.6 %', seen['status'])

    def test_hostile_names_stay_text(self):
        seen = self.act(self.flame(self.golden('hostile')), '''
            seen.title = document.title; seen.images = document.images.length;
            seen.scripts = document.querySelectorAll("script").length;
            seen.name = find("<" + "/script><img_src=x_onerror=alert(1)>") > 0;
            const names = [...Array(m.count).keys()].map(m.nameAt);
            seen.turned = names.some(name => /[\\u0000-\\u001f\\u202a-\\u202e]/.test(name));''')
        self.assertEqual(seen, {'title': 'profile.pb.gz', 'images': 0, 'scripts': 2, 'name': True, 'turned': False})

    def test_icicle_or_not_is_where_the_root_is(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        profile.sample(['A:Deep%d ()' % i for i in range(100)], [1])
        script = '''
            const area = $("canvas").getBoundingClientRect();
            const at = y => { frame(); $("canvas").dispatchEvent(new MouseEvent("mousemove",
                { clientX: area.left + 50, clientY: y, bubbles: true })); return $("tip").firstChild.textContent; };
            seen.top = at(area.top + 9); seen.bottom = at(area.bottom - 9); seen.flip = $("flip").textContent;
            m.search("Deep7 "); seen.found = m.state().matched; key("n");
            seen.hit = m.nameAt(m.state().selected); key("Enter");
            seen.zoomed = m.nameAt(m.state().zoomed); $("reset").click(); seen.reset = m.state().zoomed;
            m.select(0); key("ArrowUp"); seen.up = m.nameAt(m.state().selected);
            key("i"); seen.turned = at(area.top + 9); seen.other = at(area.bottom - 9);'''
        down = self.act(self.flame(profile.encode(), '--icicle'), script)
        up = self.act(self.flame(profile.encode(), '--no-icicle'), script)
        self.assertEqual((down['top'], down['flip'], down['up']), ('all', 'Flame', 'all'))
        self.assertEqual((up['bottom'], up['flip'], up['up']), ('all', 'Icicle', 'A.Deep0 ()'))
        self.assertNotEqual(up['top'], 'all')
        self.assertEqual((down['other'], up['turned']), ('all', 'all'))
        for seen in [down, up]:
            self.assertEqual(seen['found'], '1 frame, 1, 100.0 % matched')
            self.assertEqual((seen['hit'], seen['zoomed'], seen['reset']), ('A.Deep7 ()', 'A.Deep7 ()', 0))

    def test_a_difference_colours_what_grew_and_what_shrank(self):
        (self.folder / 'a').write_text('main;grew 100\nmain;shrank 300\nmain;same 50\nmain;gone 10\n')
        (self.folder / 'b').write_text('main;grew 400\nmain;shrank 100\nmain;same 50\nmain;new 10\n')
        self.run_monocle('diff', 'a', 'b', '-o', 'diff.html')
        seen = self.act(self.folder / 'diff.html', '''
            for (const name of ["grew", "shrank", "same", "gone", "new"]) seen[name] = m.colour(find(name), false);
            m.select(find("grew")); seen.status = m.state().status; seen.title = document.title;
            seen.about = $("about").textContent;
            seen.metrics = $("metric").textContent; seen.metric = $("metric").value;
            const area = $("canvas").getBoundingClientRect(); frame();
            const start = m.startOf()[find("grew")] / m.totals[1][0] * area.width;
            $("canvas").dispatchEvent(new MouseEvent("mousemove",
                { clientX: area.left + start + 5, clientY: area.top + 45, bubbles: true }));
            seen.tip = $("tip").textContent;
            m.search("gr"); seen.found = m.state().matched; m.zoom(find("grew")); key("Backspace"); key("Escape");
            key("Escape"); seen.reset = m.state().zoomed;
            key("m"); seen.other = $("metric").value;''')
        self.assertIn('hsl(4 ', seen['grew'])
        self.assertIn('hsl(4 ', seen['new'])
        self.assertIn('hsl(215 ', seen['shrank'])
        self.assertIn('hsl(215 ', seen['gone'])
        self.assertEqual(seen['same'], '#e9eaee')
        depth = {name: float(re.search(r'([\d.]+)%\)$', seen[name])[1]) for name in ('grew', 'shrank', 'gone', 'new')}
        self.assertEqual(depth['grew'], depth['shrank'])  # 300 and 200 of 560 are both more than a tenth
        self.assertEqual(depth['gone'], depth['new'])
        self.assertGreater(depth['new'], depth['grew'] + 20, 'what is new is pale where it is little')
        self.assertEqual(seen['title'], 'b: what changed since a')
        self.assertIn('red grew, blue shrank', seen['about'])
        self.assertEqual(seen['metrics'], 'before: 460after: 560')
        self.assertEqual((seen['metric'], seen['other'], seen['reset']), ('1', '0', 0))
        self.assertIn('change +300 (+49.69 points)', seen['status'])
        self.assertIn('change+300 (+49.69 points)', seen['tip'])
        self.assertEqual(seen['found'], '1 frame, 400, 71.4 % matched')

    def test_a_large_profile_is_folded_and_says_how_much(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        profile.value('self', 'nanoseconds')
        profile.sample(['A:Main ()', 'A:Big ()'], [1, 10**9])
        for i in range(30000):
            profile.sample(['A:Main ()', 'N.C%d:Small%d ()' % (i % 50, i)], [1, 1000])
        seen = self.act(self.flame(profile.encode()), '''
            seen.count = m.count; seen.about = $("about").textContent; seen.total = m.totals[1][0];
            seen.fold = [...Array(m.count).keys()].map(m.nameAt).filter(name => name.includes("narrow"));''')
        self.assertEqual(seen['total'], 10**9 + 30000 * 1000)
        self.assertEqual(seen['fold'], ['(30,000 narrow frames)'])
        self.assertEqual(seen['count'], 4)
        self.assertIn('30,000 frames narrower than 0.01 % are folded', seen['about'])

    def test_a_very_deep_stack_is_drawn_row_by_row(self):
        profile = pprof.Writer()
        profile.value('calls', 'count')
        profile.sample(['A:Deep%d ()' % i for i in range(20000)], [1])
        seen = self.act(self.flame(profile.encode()), '''
            frame(); seen.drawn = m.state().drawn; seen.count = m.count;
            $("view").scrollTop = 1e9; frame(); seen.bottom = m.state().drawn;
            m.select(20000); frame(); seen.status = $("status").textContent;''')
        self.assertEqual(seen['count'], 20001)
        self.assertTrue(0 < seen['drawn'] < 100)
        self.assertTrue(0 < seen['bottom'] < 100)
        self.assertTrue(seen['status'].startswith('A.Deep19999 ()'))


def made_up_profile():
    """Something that looks like a program, for people to look at."""
    chance = harness.chance(7)
    profile = pprof.Writer()
    profile.value('calls', 'count')
    profile.value('self', 'nanoseconds')
    types = ['Shop.Program', 'Shop.Orders.Basket', 'Shop.Data.Query`1', 'Newtonsoft.Json.JsonSerializer',
             'Shop.Web/<>c']
    methods = ['Load', 'Parse', 'Run', '<Main>b__0', 'get_Item']
    signatures = ['int', 'string,object', '']

    def grow(path, amount):
        whole = len(path) == 14 or amount < 4e6
        own = amount if whole else amount * chance.uniform(0.05, 0.4)
        profile.sample(path, [chance.randint(1, 1000), int(own)])
        left = amount - own
        while not whole and left > amount * 0.1:
            part = left * chance.uniform(0.2, 0.9)
            name = '%s:%s (%s)' % (chance.choice(types), chance.choice(methods), chance.choice(signatures))
            grow(path + [name + '@shop.dll'], part)
            left -= part
    grow(['Shop.Program:Main (string[])@shop.dll'], 4e9)
    return profile.encode()


def take_screenshots(folder):
    """For people to look at."""
    Page.setUpClass()
    page, browser = Page().flame(made_up_profile()), Page.browser
    browser.size(1000, 600)
    for name, link, is_dark in [('light', '', False), ('search', '#q=Parse', False), ('dark', '', True)]:
        browser.dark(is_dark)
        browser.open(page, link)
        browser.screenshot(folder / (name + '.png'))


if __name__ == '__main__':
    browser_case.main(take_screenshots=take_screenshots)
