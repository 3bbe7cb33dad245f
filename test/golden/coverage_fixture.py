# SPDX-License-Identifier: MIT
"""A coverage file with all that other tools' formats find hard; what their readers should make of it."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'command'))
import cover_file

LARGE = 3000000000  # more than 31 bits


def branch(point, *hits, switch=0, il=None):
    """The arms of one branch."""
    arms = [{'point': point, 'path': path, 'hits': count, 'switch': switch} for path, count in enumerate(hits)]
    return arms if il is None else [dict(arm, il=il) for arm in arms]


def shop(file, large):
    """One folder, two classes in a file, nested ones, one in two files."""
    image = file.image('Shop & Söhne', '/build/bin/Shop.dll')
    cart = file.document('/build/src/Shop/Cart.cs')
    item = file.document('/build/src/Shop/Items/Item<T>.cs')
    more = file.document('/build/src/Shop/Cart.More.cs')
    outer = file.type(image, 'Shop.Cart`1')
    file.method(outer, '.ctor ()', [(3, large), {'line': 30, 'hits': large, 'document': more}], document=cart,
                flags=cover_file.PROBED | cover_file.CONSTRUCTOR)
    # A for loop has three points on its line; a statement over three lines; one branch on each of two lines.
    file.method(outer, 'Add (T,System.Collections.Generic.Dictionary`2<string,int>)',
                [(10, 5), {'line': 11, 'hits': 5, 'column': 9}, {'line': 11, 'hits': 55, 'column': 30},
                 {'line': 11, 'hits': 50, 'column': 45}, {'line': 12, 'end_line': 14, 'hits': 50}, (16, 0)],
                branch(2, 50, 5) + branch(4, 50, 0), document=cart)
    file.method(outer, 'Add (int,int)', [(20, 0), (21, 0)], branch(1, 0, 0), document=cart)
    # A switch, and two branches on one line.
    file.method(outer, 'Pick (int)', [(23, 7), (24, 7)],
                branch(0, 1, 2, 0, 4, switch=1) + branch(1, 7, 0, il=5) + branch(1, 3, 4, il=9), document=cart)
    # Two methods on one line, one of which did not run.
    file.method(outer, 'get_X ()', [{'line': 26, 'hits': 9, 'column': 20}], document=cart,
                flags=cover_file.PROBED | cover_file.GETTER)
    file.method(outer, 'set_X (int)', [{'line': 26, 'hits': 0, 'column': 30}], document=cart, flags=cover_file.SETTER)
    inner = file.type(image, 'Shop.Cart`1/Row`1')
    file.method(inner, 'Sum<U> (U,(int, string))', [(33, 1), (34, 0)], document=more)
    item_type = file.type(image, 'Shop.Items.Item')
    file.method(item_type, 'op_Explicit (Shop.Items.Item)', [(4, 2)], document=item, flags=cover_file.STATIC)
    file.method(item_type, 'op_Explicit (Shop.Items.Item)', [(6, 0)], document=item, flags=cover_file.STATIC)
    file.method(file.type(image, 'Shop.Items.Empty'), '.ctor ()', [], document=item, flags=cover_file.CONSTRUCTOR)
    return image, cart


def program(file, image):
    """What compilers make: lambdas, local functions, async. And names that are hard to write."""
    main = file.document('/build/src/App/Program.cs')
    strange = file.document('/build/src/App/Größe "&\' \U0001f600.cs')
    top = file.type(image, 'Program')
    start = file.method(top, '<Main>$ (string[])', [(1, 1), (2, 1), (8, 1)], branch(1, 1, 0), document=main,
                        flags=cover_file.PROBED | cover_file.STATIC)
    closure = file.type(image, 'Program/<>c')
    file.method(closure, '<<Main>$>b__0_0 (int)', [(2, 0), {'line': 3, 'hits': 0}], branch(1, 0, 0), document=main)
    file.method(top, '<<Main>$>g__Local|0_1 (int,int)', [(6, 4)], document=main, flags=cover_file.STATIC)
    fetch = file.method(top, 'Fetch (System.Uri)', [], document=main)
    state = file.type(image, 'Program/<Fetch>d__1')
    file.method(state, 'MoveNext ()', [(12, 1), (13, 1), (14, 0)], branch(1, 1, 0), document=main, kickoff=fetch)
    odd = file.type(image, 'Ns.Größe&\x01')
    file.method(odd, 'Get "quoted" & \ufffe <b> ()', [(5, 1), (6, 1)], document=strange)
    return start


def windows(file):
    """Another build: paths of Windows, of a deterministic build, of generated sources. Nothing ran."""
    image = file.image('Lib', 'C:\\agent\\Lib.dll')
    drive = file.document('C:\\agent\\work\\Lib\\Class1.cs')
    mapped = file.document('/_/src/Lib/Mapped.cs')
    made = file.document('obj/Generated.g.cs')
    one = file.type(image, 'Lib.Class1')
    file.method(one, 'F ()', [(3, 0), (4, 0)], branch(0, 0, 0), document=drive)
    file.method(file.type(image, 'Lib.Mapped'), 'G ()', [(7, 0)], document=mapped)
    file.method(file.type(image, 'Lib.Generated'), 'H ()', [(1, 0)], document=made)


def hard(large=LARGE):
    file = cover_file.File(counts=True, begun=1700000000 * 10**9, ended=1700000060 * 10**9)
    image, cart = shop(file, large)
    program(file, image)
    other = file.type(image, 'Shop.Other')
    file.method(other, 'Static ()', [(40, 1)], document=cart, flags=cover_file.PROBED | cover_file.STATIC)
    windows(file)
    return file


def empty():
    return cover_file.File(counts=True, begun=1700000000 * 10**9, ended=1700000060 * 10**9)


def linked():
    """One source file in two images."""
    file = cover_file.File()
    source = file.document('/build/Shared.cs')
    for name, hits in [('One', 1), ('Two', 0)]:
        shared = file.type(file.image(name, '/%s.dll' % name), 'Shared')
        file.method(shared, 'F ()', [(3, hits), (4, 0)], branch(0, hits, 0), document=source)
    return file
