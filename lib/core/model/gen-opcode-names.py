#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# gen-opcode-names.py - turns lib/ecma/opcodes.tsv, the table of IL opcodes, into rows of names and operands.
#
# usage: gen-opcode-names.py opcodes.tsv opcode-names.def
#
# A row is OPCODE (number, name, operand). The number is Mono's: the byte, or 256 more than the byte after 0xFE.

import csv
import sys

HEADER = """/* Made by gen-opcode-names.py from opcodes.tsv: OPCODE (number, name, operand). */
"""


def main():
    with open(sys.argv[1], newline='') as file:
        rows = [row for row in csv.DictReader(file, delimiter='\t') if row['kind'] != 'IInternal']
    with open(sys.argv[2], 'w') as out:
        out.write(HEADER)
        for row in rows:
            number = int(row['byte2'], 16) + (256 if row['len'] == '2' else 0)
            # The prefix `no.`, which ECMA-335 III.2.2 and Mono have and CoreCLR's table has not.
            name, operand = ('no.', 'ShortInlineI') if number == 256 + 0x19 else (row['mnemonic'], row['operand'])
            out.write('OPCODE (%d, "%s", %s)\n' % (number, name, operand))


main()
