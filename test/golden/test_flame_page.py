#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a person can do with the flame graph page, in one real browser: views, threads, removal, the table, the link.

    test_flame_page.py MONOCLE

What the page makes of a profile by itself must be what the commands make of it.
"""
import collections
import json
import re
import urllib.parse

import browser_case
import chromium
import pprof

# Stacks as text, with their amounts, of what is shown.
PATHS = '''(() => { const m = monocle, found = {}, value = document.getElementById("metric").value;
    for (let i = 1; i < m.upper; i++) {
        if (m.selfs[value][i] === 0) continue;
        const path = [];
        for (let k = i; k > 0; k = m.parentOf[k]) path.unshift(m.nameAt(k));
        found[path.join(";")] = m.selfs[value][i];
    }
    return found; })()'''
ROWS = '''[...document.getElementById("rows").children].map(row => [
    row.querySelector("button").getAttribute("aria-label"),
    ...[...row.cells].slice(1, -1).map(cell => cell.textContent.replace(/[\\u2007 ]+/g, " "))])'''
FRAME = '[...Array(monocle.count).keys()].find(i => monocle.nameAt(i) === %s)'


class Page(browser_case.Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ['view', 'calls', 'exceptions']:
            cls.write(name, cls.golden(name))

    def open(self, name, link='', *options):
        page = self.folder / (name + '.html')
        self.run_monocle('flame', name + '.pb.gz', '-o', page.name, *options)
        self.browser.open(page, link)
        return page

    def click(self, name):
        self.see('document.getElementById("%s").click()' % name)

    def press(self, key):
        self.browser.key(key)

    def select(self, name):
        self.see('monocle.select(%s)' % (FRAME % json.dumps(name)))

    def collapsed(self, name, *options):
        text = self.run_monocle('convert', '--to=collapsed', '-o', '-', name + '.pb.gz', *options)
        return {path: int(amount) for path, amount in (line.rsplit(' ', 1) for line in text.splitlines())}

    def table(self, name, *options):
        text = self.run_monocle('report', '--format=tsv', '--fold', '--names=csharp', *options, name + '.pb.gz')
        lines = text.splitlines()
        columns = lines[0].split('\t')
        return [dict(zip(columns, line.split('\t'))) for line in lines[1:]]

    def test_collapsing_gives_the_stacks_that_the_commands_give(self):
        for name in ['view', 'exceptions', 'calls']:
            self.open(name)
            self.assertEqual(self.see(PATHS), self.collapsed(name), name)
            self.press('c')
            self.assertEqual(self.see(PATHS), self.collapsed(name, '--all-frames'), name)
            self.open(name, '', '--all-frames')
            self.assertEqual(self.see(PATHS), self.collapsed(name, '--all-frames'), name)
            self.click('collapse')
            self.assertEqual(self.see(PATHS), self.collapsed(name), name)
        self.open('view', '', '--mine')
        self.assertEqual(self.see(PATHS), self.collapsed('view', '--mine'))
        self.assertTrue(self.see('document.getElementById("collapse").hidden'))
        self.open('view', '', '--focus=Regex')
        self.assertEqual(self.see(PATHS), self.collapsed('view', '--focus=Regex'))

    def test_a_thread_is_what_its_samples_are(self):
        self.open('view')
        names = self.see('[...document.getElementById("thread").options].map(option => option.text)')
        self.assertEqual(names, ['all 4 threads', 'worker_1: 700 ns', 'worker_2: 390 ns', 'main: 265 ns',
                                 '(no name): 100 ns'])
        self.see('(select => { select.value = "=worker_2"; select.dispatchEvent(new Event("change")); })'
                 '(document.getElementById("thread"))')
        self.assertEqual(self.see(PATHS), self.collapsed('view', '--thread=worker_2'))
        self.assertEqual(self.see('monocle.totals[1][0]'), 390)
        self.assertTrue(self.see('document.getElementById("process").hidden'))

    def test_processes_of_a_merged_profile_can_be_chosen(self):
        for pid in [7, 8]:
            (self.folder / 'part').write_text('value samples count\ncomment program: shop, pid %d, on here\n'
                                              'sample A:Main\\_() %d\n' % (pid, pid))
            self.write('part%d' % pid, pprof.read_text(self.folder / 'part'))
        self.run_monocle('merge', 'part7.pb.gz', 'part8.pb.gz', '-o', 'both.pb.gz')
        self.open('both', '#process=' + urllib.parse.quote('shop (8)'))
        self.assertEqual(self.see('[...document.getElementById("process").options].map(option => option.text)'),
                         ['all 2 processes', 'shop (8): 8', 'shop (7): 7'])
        self.assertEqual(self.see(PATHS), {'A.Main ()': 8})
        self.assertTrue(self.see('document.getElementById("thread").hidden'))

    def test_what_idle_threads_waited_is_there_when_it_is_wanted(self):
        (self.folder / 'part').write_text(
            'value samples count\nvalue wall nanoseconds\n'
            'sample Shop:Main () 1 200 thread=main\n'
            'sample System.Threading.TimerQueue:TimerThread () 1 900 thread=timer state=reading\n')
        self.write('idle', pprof.read_text(self.folder / 'part'))
        own, timer = 'Shop.Main ()', 'System.Threading.TimerQueue.TimerThread ()'
        threads = '[...document.getElementById("thread").options].map(option => option.text)'
        self.open('idle', '', '--all-frames')
        self.assertEqual(self.see(PATHS), {own: 200})
        self.assertEqual(self.see('document.getElementById("idle").textContent'), 'Idle threads: 900 ns')
        self.assertTrue(self.see('document.getElementById("thread").hidden'))
        self.press('w')
        self.assertEqual(self.see(PATHS), {own: 200, timer: 900})
        self.assertEqual(self.see(threads), ['all 2 threads', 'timer: 900 ns', 'main: 200 ns'])
        self.assertEqual(self.see('document.getElementById("idle").getAttribute("aria-pressed")'), 'true')
        self.open('idle', '#idle=1', '--all-frames')
        self.assertEqual(self.see(PATHS), {own: 200, timer: 900})
        self.click('idle')
        self.assertEqual(self.see(PATHS), {own: 200})
        self.open('idle', '', '--all-frames', '--idle')
        self.assertEqual(self.see(PATHS), {own: 200, timer: 900})
        self.open('view')
        self.assertTrue(self.see('document.getElementById("idle").hidden'))

    def test_a_removed_method_is_gone_with_its_stacks_until_undone(self):
        self.open('view')
        self.see('monocle.draw()')
        name = 'Shop.Orders.Find.lambda (Order)'
        self.see('''(() => { const m = monocle, i = %s, canvas = document.getElementById("canvas");
            const area = canvas.getBoundingClientRect();
            m.draw(); canvas.dispatchEvent(new MouseEvent("click", { altKey: true, bubbles: true,
                clientX: area.left + (m.startOf()[i] + m.totals[1][i] / 2) / m.totals[1][0] * area.width,
                clientY: area.top + 18 * m.depthOf[i] + 9 })); })()''' % (FRAME % json.dumps(name)))
        self.assertEqual(self.see('monocle.state().removed.length'), 1)
        without = self.collapsed('view', '--ignore=Find.*lambda')
        self.assertNotEqual(without, self.collapsed('view'))
        self.assertEqual(self.see(PATHS), without)
        self.assertEqual(self.see('monocle.totals[1][0]'), sum(without.values()))
        self.assertIn(name, self.see('document.getElementById("removed").textContent'))
        self.select('[native]')
        self.press('x')
        self.assertEqual(self.see('monocle.totals[1][0]'), sum(without.values()) - 60)
        self.press('u')
        self.assertEqual(self.see(PATHS), without)
        self.see('document.querySelector("#removed button").click()')
        self.assertEqual(self.see(PATHS), self.collapsed('view'))
        self.select('[framework]')
        self.press('x')
        self.assertEqual(self.see('monocle.state().removed.length'), 0, 'what stands for others stays')

    def test_the_table_is_what_report_prints(self):
        self.open('view')
        self.click('table')
        shown = self.see(ROWS)
        wanted = self.table('view')
        stood = {'[framework]', '[async]'}
        for row in wanted:
            if row['method'].startswith('Tool.Same'):  # tells the two apart by a column
                row['method'] += ' [%s]' % row['image']
        amounts = {row['method']: (int(row['self_cpu_ns']), int(row['total_cpu_ns']))
                   for row in wanted if row['method'] not in stood}
        self.assertEqual({row[0]: tuple(int(cell.split()[0]) for cell in row[1:]) for row in shown}, amounts)
        self.assertEqual([amounts[row[0]][0] for row in shown],
                         sorted((own for own, _ in amounts.values()), reverse=True))
        self.see('document.querySelectorAll("#columns button")[2].click()')
        totals = [amounts[row[0]][1] for row in self.see(ROWS)]
        self.assertEqual(totals, sorted(totals, reverse=True))
        self.assertEqual(self.see('document.querySelectorAll("#columns th")[2].getAttribute("aria-sort")'),
                         'descending')
        self.see('document.querySelector("#columns button").click()')
        self.assertEqual([row[0] for row in self.see(ROWS)], sorted(amounts))
        self.see('monocle.search("Tool")')
        self.assertEqual(sorted(row[0] for row in self.see(ROWS)),
                         ['Tool.Same (int) [Shop.Orders.dll]', 'Tool.Same (int) [shop.dll]'])
        self.see('document.querySelector("#rows button").click()')
        self.assertTrue(self.see('monocle.state().status').startswith('Tool.Same'))
        self.see('document.querySelector("#rows td:last-child button").click()')
        self.assertEqual(self.see('monocle.state().view'), 'sandwich')

    def test_enter_in_the_search_begins_with_the_widest_match(self):
        for pattern in ('LoadAsync', 'Orders', 'Poll|mine|Sum'):
            self.open('view')
            widest, chosen = self.see('''(() => {
                monocle.search(%s);
                document.getElementById("search").dispatchEvent(
                    new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
                const all = [...Array(monocle.count).keys()].filter(i => i && /%s/.test(monocle.nameAt(i)));
                const widest = all.reduce((a, b) => monocle.totals[1][b] > monocle.totals[1][a] ? b : a);
                return [monocle.nameAt(widest) + "  " + monocle.totals[1][widest], monocle.state().status];
            })()''' % (json.dumps(pattern), pattern))
            name, amount = widest.split('  ')
            self.assertTrue(chosen.startswith(name), (pattern, widest, chosen))
            self.assertIn(' %s ns' % amount, chosen)

    def test_reversed_begins_with_the_innermost_methods(self):
        self.open('view')
        self.press('r')
        roots = self.see('''[...Array(monocle.count).keys()].filter(i => monocle.depthOf[i] === 1)
            .map(i => [monocle.nameAt(i), monocle.totals[1][i]])''')
        own = collections.Counter()
        for path, amount in self.collapsed('view').items():
            own[path.split(';')[-1]] += amount
        self.assertEqual(dict(map(tuple, roots)), dict(own))
        turned = {';'.join(reversed(path.split(';'))): amount for path, amount in self.collapsed('view').items()}
        self.assertEqual(self.see(PATHS), turned)
        self.press('g')
        self.assertEqual(self.see(PATHS), self.collapsed('view'))

    def test_a_sandwich_has_callers_above_and_callees_below(self):
        self.open('view')
        name = 'Shop.Orders.Find (List<Order>, int)'
        self.select(name)
        self.press('s')
        below, callers = collections.Counter(), collections.Counter()
        for path, amount in self.collapsed('view').items():
            frames = path.split(';')
            if name in frames:
                at = frames.index(name)
                below[';'.join(frames[at + 1:])] += amount
                for k in range(at):
                    callers[';'.join(frames[k:at])] += amount
        whole = below.pop('', 0) + sum(below.values())
        self.assertEqual(self.see('monocle.totals[1][0]'), whole)
        self.assertEqual(self.see('monocle.nameAt(0)'), name)
        self.assertEqual(self.see(PATHS), dict(below))
        above = self.see('''(() => { const m = monocle, found = {};
            for (let i = m.upper; i < m.count; i++) {
                const path = [];
                for (let k = i; k > 0; k = m.parentOf[k]) path.push(m.nameAt(k));
                found[path.join(";")] = m.totals[1][i];
            }
            return found; })()''')
        self.assertEqual(above, dict(callers))
        self.press('ArrowUp')
        self.assertEqual(self.see('monocle.nameAt(monocle.state().selected)'), '[framework]')
        self.press('Escape')
        self.press('ArrowDown')
        self.assertEqual(self.see('monocle.nameAt(monocle.state().selected)'),
                         'System.Linq.Enumerable.ToList<TSource> (IEnumerable<TSource>)')
        self.press('Escape')
        self.press('Escape')
        self.assertEqual(self.see('monocle.state().view'), 'graph')

    def test_recursion_counts_once_in_a_sandwich(self):
        data = pprof.Writer()
        data.value('samples', 'count')
        data.sample(['A:Main ()', 'A:F ()', 'A:F ()', 'A:G ()'], [3])
        data.sample(['A:F ()'], [4])
        self.write('again', data.encode())
        self.open('again', '#view=sandwich&method=A.F%20()&table=total')
        self.assertEqual(self.see('monocle.totals[0][0]'), 7)
        self.assertEqual(self.see(PATHS), {'A.F ();A.G ()': 3})
        self.assertIn(['A.F ()', '4 57.1 %', '7 100.0 %'], self.see(ROWS))

    def test_the_link_brings_back_what_was_chosen(self):
        page = self.open('view')
        for key in ['c', 'i', 't', 'm']:
            self.press(key)
        self.see('document.querySelectorAll("#columns button")[2].click()')
        self.click('theme')
        self.select('[native]')
        self.press('x')
        self.select('Shop.Orders.Find.lambda (Order)')
        self.press('Enter')
        self.see('(field => { field.value = "Regex[.]Run"; field.dispatchEvent(new Event("input")); })'
                 '(document.getElementById("search"))')
        self.browser.until('location.hash === monocle.linkText() && location.hash.includes("Run")')
        link, before = self.see('location.hash'), self.see('monocle.state()')
        for part in ['q=', 'removed=%5Bnative%5D', 'collapsed=0', 'icicle=0', 'value=samples', 'table=total',
                     'theme=', 'zoom=']:
            self.assertIn(part, link)
        self.browser.open(page, link)
        after = self.see('monocle.state()')
        for state in [before, after]:
            del state['drawn'], state['status'], state['selected']
        self.assertEqual(after, before)
        self.assertEqual(self.see('monocle.nameAt(monocle.state().zoomed)'), 'Shop.Orders.Find.lambda (Order)')
        self.assertEqual(self.see('monocle.linkText()'), link)
        self.see('location.hash = "#view=reversed"')
        self.browser.until('monocle.state().view === "reversed"')
        self.assertEqual(self.see('monocle.state().removed'), [])
        self.select('Shop.Orders.Poll ()')
        self.press('s')
        self.press('ArrowUp')
        self.press('Enter')
        self.browser.until('location.hash.includes("zoom=-")')
        link, zoomed = self.see('[location.hash, monocle.state().zoomed]')
        self.browser.open(page, link)
        self.assertEqual(self.see('[monocle.state().view, monocle.state().zoomed]'), ['sandwich', zoomed])

    def test_a_wrong_link_is_passed_over(self):
        for link in ['#q=%E0%A4%A&view=none&method=x&thread=nobody&value=x&zoom=9999.a&removed=x&table=x&theme=x',
                     '#view=sandwich', '#&&=&==x', '#zoom=-']:
            self.open('view', link)
            self.assertEqual(self.see(PATHS), self.collapsed('view'), link)

    def test_colours_tell_whose_code_it_is(self):
        self.open('view', '#collapsed=0')
        hues = {}
        for night in ['false', 'true']:
            for name in ['Shop.Orders.LoadAsync (int)', 'System.GC.Wait ()',
                         'System.Threading.Thread.StartCallback ()', '[native]', '[libcoreclr.so]']:
                hues[name] = self.see('monocle.colour(%s, %s)' % (FRAME % json.dumps(name), night))
            own, *others = hues.values()
            self.assertRegex(own, r'hsl\((2[0-9]|3[0-5]) (94|82)%')
            self.assertRegex(others[0], r'hsl\(2\d\d (52|33)%')
            self.assertRegex(others[1], r'hsl\(2\d\d (52|33)%')
            for runtime in others[2:]:
                self.assertRegex(runtime, r'hsl\(220 [56]%')
        legend = self.see('document.getElementById("legend").textContent')
        own = sum(amount for path, amount in self.collapsed('view').items()
                  if re.match(r'Shop|Program|Tool', path.split(';')[-1]))
        self.assertIn('own code %.1f %%' % (100 * own / 1455), legend)
        # Without any managed code, what has a name is the program.
        (self.folder / 'plain.txt').write_text('main;work 3\nmain;[kernel] 1\n')
        self.run_monocle('flame', 'plain.txt', '-o', 'plain.html')
        self.browser.open(self.folder / 'plain.html')
        self.assertIn('94%', self.see('monocle.colour(%s, false)' % (FRAME % '"work"')))

    def test_names_of_other_tools_are_understood(self):
        data = pprof.Writer()
        data.value('samples', 'count')
        data.sample(['shop!Shop.Program.Main(class System.String[],value class Shop.OptionsOfTheProgram)', '?!?'], [1])
        self.write('peer', data.encode())
        self.open('peer', '#table=name')
        self.assertIn('94%', self.see('monocle.colour(1, false)'))
        self.assertIn('220 ', self.see('monocle.colour(2, false)'))
        self.assertEqual(self.see('document.querySelectorAll("#rows button")[2].dataset.text'), 'Program.Main')

    def test_the_table_of_a_difference_has_what_changed(self):
        for name, first, second in [('before', 3, 5), ('after', 9, 4)]:
            (self.folder / 'part').write_text('value samples count\nsample A:Main\\_()@/srv/app.dll;'
                                              'System.X:Y\\_()@/usr/share/dotnet/shared/System.X.dll %d\n'
                                              'sample A:Main\\_()@/srv/app.dll %d\n' % (first, second))
            self.write(name, pprof.read_text(self.folder / 'part'))
        self.run_monocle('diff', 'before.pb.gz', 'after.pb.gz', '-o', 'diff.html')
        self.browser.open(self.folder / 'diff.html', '#table=change')
        self.assertEqual(self.see(ROWS), [['System.X.Y ()', '3', '9', '+6'], ['A.Main ()', '8', '13', '+5']])
        self.assertEqual(self.see('[...document.querySelectorAll("td.name")].map(cell => cell.className)'),
                         ['name framework', 'name own'])
        self.assertGreater(self.see('document.querySelector("td.name").clientWidth'), 120)

    def test_the_head_of_a_difference_says_what_was_compared(self):
        for name, version, day in ('one', '9.0.1', 0), ('two', '10.0.12', 1):
            data = pprof.Writer()
            data.value('samples', 'count')
            data.line('time %d' % ((1767268800 + day * 86400) * 10 ** 9))
            data.line('comment runtime: %s (CoreCLR)' % version)
            data.line('comment program: shop, pid 42, on here')
            data.sample(['A:Main ()'], [day + 1])
            self.write(name, data.encode())
        self.run_monocle('diff', 'one.pb.gz', 'two.pb.gz', '-o', 'diff.html')
        self.browser.open(self.folder / 'diff.html')
        about = self.see('document.getElementById("about").textContent')
        self.assertRegex(about, r'before: one\.pb\.gz, shop, \.NET 9\.0\.1, 2026-01-01 \d\d:\d\d:\d\d · '
                                r'after: two\.pb\.gz, shop, \.NET 10\.0\.12, 2026-01-02 \d\d:\d\d:\d\d')

    def test_a_source_is_shown_and_opens_an_editor(self):
        page = self.open('view', '', '--editor=vscode')
        text = page.read_text()
        names = json.loads(re.search(r'id="profile">(.*?)</script>', text, re.S).group(1))['names']
        files = {'Shop.Orders.Poll ()': ('/src/my shop/Orders#1.cs', 12),
                 'Program.Main.Sum (int)': ('C:\\shop\\Program.cs', 3), 'mine': ('mine.c', 4)}
        lists = '"sources":%s,"lines":%s,"names":[' % (json.dumps([files.get(name, ('', 0))[0] for name in names]),
                                                      json.dumps([files.get(name, ('', 0))[1] for name in names]))
        text = re.sub(r'"sources":\[.*?\],\s*"lines":\[.*?\],\s*', '', text, flags=re.S)
        page.write_text(text.replace('"names":[', lists, 1))
        self.browser.open(page)
        link = '''(link => [link.textContent.slice(1, -1), link.getAttribute("href")])
            (document.getElementById("source"))'''
        self.select('Shop.Orders.Poll ()')
        self.assertEqual(self.see(link), ['/src/my shop/Orders#1.cs:12',
                                          'vscode://file/src/my%20shop/Orders%231.cs:12'])
        self.select('Program.Main.Sum (int)')
        self.assertEqual(self.see(link), ['C:\\shop\\Program.cs:3', 'vscode://file/C:/shop/Program.cs:3'])
        self.select('mine')
        self.assertEqual(self.see(link), ['mine.c:4', None])
        self.select('[native]')
        self.assertTrue(self.see('document.getElementById("source").hidden'))

    def test_the_head_says_what_ran(self):
        self.open('view')
        about = self.see('document.getElementById("about").textContent')
        for part in ['shop (pid 42, on host)', '.NET 10.0.12', 'ran 3.500 s']:
            self.assertIn(part, about)
        self.assertNotIn('sample:threads', about)
        self.click('info')
        self.assertTrue(self.see('document.getElementById("facts").open'))
        self.assertIn('sample:threads', self.see('document.getElementById("facts").textContent'))

    def test_names_in_the_table_keep_their_types_and_are_told_apart(self):
        words = 'System.Text.RegularExpressions.Regex:.ctor (string,System.Text.RegularExpressions.%s)@/x/System.dll'
        data = pprof.Writer()
        data.value('samples', 'count')
        for name in [words % 'RegexOptions', words % 'RegexParser,System.Globalization.CultureInfo',
                     'Shop.Warehouses.NorthernWarehouseInventory`1<string>:.cctor ()@/srv/shop.dll',
                     'Shop.Deep:%s ()@/srv/shop.dll' % ('Long' * 12)]:
            data.sample([name], [1])
        self.write('names', data.encode())
        self.browser.size(1200, 600)
        self.open('names', '#table=name')
        texts = self.see('[...document.querySelectorAll("#rows td.name button")].map(item => item.dataset.text)')
        whole = self.see('[...document.querySelectorAll("#rows td.name button")].map(item => item.ariaLabel)')
        self.assertEqual(len(set(texts)), 4, texts)
        cctor = next(text for text in texts if text.endswith('..cctor'))
        self.assertRegex(cctor, r'^North\w*…\w+\.\.cctor$')
        for text in texts:
            if 'Regex' in text:
                self.assertRegex(text, r'^Regex\.\.ctor \(.+….+\)$')
        self.assertTrue(any(name.startswith('System.Text.RegularExpressions.Regex') for name in whole), whole)

    def test_own_code_and_the_runtime_are_told_apart_without_colours(self):
        self.open('view', '#collapsed=0')
        shades = """(name => { const m = monocle, i = %s, canvas = document.getElementById("canvas");
            m.draw();
            const scale = canvas.width / m.totals[1][0], x = m.startOf()[i] * scale, w = m.totals[1][i] * scale;
            const ratio = canvas.height / canvas.clientHeight, y = (18 * m.depthOf[i] + 1) * ratio;
            const width = Math.max(w / 2 - 4, 8), seen = new Set(); /* above the letters */
            const data = canvas.getContext("2d").getImageData(Math.ceil(x) + 2, y, width, 2 * ratio).data;
            for (let k = 0; k < data.length; k += 4) seen.add(data.slice(k, k + 3).join());
            return seen.size; })()"""
        self.assertEqual(self.see(shades % (FRAME % '"Shop.Orders.Poll ()"')), 1)
        self.assertGreater(self.see(shades % (FRAME % '"[native]"')), 1)
        for kind, is_plain in ('own', True), ('runtime', False):
            image = self.see('getComputedStyle(document.querySelector("#legend i.%s")).backgroundImage' % kind)
            self.assertEqual('repeating' not in image, is_plain, image)

    def test_it_needs_nothing_and_says_what_its_controls_are(self):
        self.open('view', '#table=self')
        self.assertEqual(self.see('performance.getEntriesByType("resource").length'), 0)
        nameless = self.see('''[...document.querySelectorAll("button, select, input, canvas")].filter(item =>

            !(item.getAttribute("aria-label") || (item.tagName === "BUTTON" && item.textContent.trim())))
            .map(item => item.outerHTML)''')
        self.assertEqual(nameless, [])
        self.press('x')
        self.select('[native]')
        self.press('x')
        self.assertEqual(self.see(chromium.UNLABELLED), [])
        self.assertEqual(self.see('document.getElementById("graph").getAttribute("aria-pressed")'), 'true')

    def test_it_fits_on_a_phone(self):
        self.browser.size(420, 800, mobile=True)
        for link in ['', '#table=self', '#view=reversed', '#view=sandwich&method=Shop.Orders.Poll%20()']:
            self.open('view', link)
            self.assertLessEqual(self.see('document.documentElement.scrollWidth'), 420, link)
            self.assertGreater(self.see('document.getElementById("view").clientHeight'), 150, link)
            self.assertGreater(self.see('document.getElementById("view").clientWidth'), 380, link)

    def test_very_deep_turned_stacks_are_cut_and_stay_exact(self):
        if not browser_case.ARGUMENTS.full:
            self.skipTest('two million nodes are for --full')
        data = pprof.Writer()
        data.value('samples', 'count')
        frames = ['A:Deep%d ()' % i for i in range(4000)]
        for i in range(0, 4000, 2):
            data.sample(frames[:i + 1], [1])
        self.write('deep', data.encode())
        self.open('deep', '#view=reversed')
        self.assertEqual(self.see('monocle.totals[0][0]'), 2000)
        self.assertEqual(self.see('monocle.state().matched'), 'stacks are cut at 1,000 frames')
        self.press('g')
        self.assertEqual(self.see('[monocle.count, monocle.state().matched]'), [4000, ''])


if __name__ == '__main__':
    browser_case.main()
