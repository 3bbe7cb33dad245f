#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# gen-il-opcodes.py - turns opcodes.tsv into il-opcodes.h (enumerators) and il-opcodes.c (the table of facts).
#
# usage: gen-il-opcodes.py opcodes.tsv il-opcodes.h il-opcodes.c

import csv
import sys

OPERANDS = {  # operand column -> (MONOCLE__IL_OPERAND_*, encoded bytes)
    'InlineNone': ('NONE', 0),
    'ShortInlineVar': ('U1', 1),
    'InlineVar': ('U2', 2),
    'InlineI': ('I4', 4),
    'InlineI8': ('I8', 8),
    'ShortInlineR': ('R4', 4),
    'InlineR': ('R8', 8),
    'ShortInlineBrTarget': ('BRANCH1', 1),
    'InlineBrTarget': ('BRANCH4', 4),
    'InlineSwitch': ('SWITCH', 4),
    'InlineField': ('TOKEN', 4),
    'InlineMethod': ('TOKEN', 4),
    'InlineSig': ('TOKEN', 4),
    'InlineString': ('TOKEN', 4),
    'InlineTok': ('TOKEN', 4),
    'InlineType': ('TOKEN', 4),
}

# The runtimes differ here: ECMA-335 III.2.2 and Mono know the prefix `no.` with one byte of flags, CoreCLR's table
# calls the same encoding unused. Reading it as a prefix is right for both, because CoreCLR itself refuses such a body.
NO_PREFIX = {'mnemonic': 'no.', 'operand': 'ShortInlineI', 'kind': 'IPrefix', 'flow': 'META'}


def slots(text):
    """How many stack slots a pop or push column names; -1 when the signature decides."""
    if text.startswith('Var'):
        return -1
    return 0 if text in ('Pop0', 'Push0') else len(text.split('+'))


def read_rows(path):
    with open(path, newline='') as file:
        for row in csv.DictReader(file, delimiter='\t'):
            byte1, byte2 = int(row['byte1'], 16), int(row['byte2'], 16)
            if (byte1, byte2) == (0xFE, 0x19):
                row.update(NO_PREFIX)
            if row['kind'] == 'IInternal' or row['mnemonic'] == 'unused':
                continue
            row['value'] = byte2 if row['len'] == '1' else byte1 << 8 | byte2
            row['enum'] = 'MONOCLE__IL_' + row['mnemonic'].rstrip('.').replace('.', '_').upper()
            yield row


def operand_of(row):
    if row['operand'] == 'ShortInlineI':  # the operand of ldc.i4.s is signed, those of the prefixes are not
        return ('U1' if row['kind'] == 'IPrefix' else 'I1', 1)
    return OPERANDS[row['operand']]


def write_header(rows, out):
    out.write('/* SPDX-License-Identifier: MIT - generated from opcodes.tsv by gen-il-opcodes.py */\n')
    out.write('#ifndef MONOCLE_IL_OPCODES_H\n#define MONOCLE_IL_OPCODES_H\n\nenum {\n')
    for row in rows:
        digits = 4 if row['value'] > 0xFF else 2
        out.write('\t%-32s = 0x%0*X,\n' % (row['enum'], digits, row['value']))
    out.write('};\n\n#endif\n')


def write_table(rows, out):
    by_name = {row['mnemonic']: row for row in rows}
    out.write('/* SPDX-License-Identifier: MIT - generated from opcodes.tsv by gen-il-opcodes.py */\n')
    out.write('#include "il-priv.h"\n\n')
    out.write('/* Row r is opcode r, row 0x100 + r is opcode 0xFE00 + r; what is missing is OPERAND_INVALID. */\n')
    out.write('const monocle__il_facts monocle__il_table[MONOCLE__IL_TABLE_SIZE] = {\n')
    for row in rows:
        operand, size = operand_of(row)
        opcode_size = int(row['len'])
        wide = by_name[row['mnemonic'][:-2]] if operand == 'BRANCH1' else row
        out.write('\t[0x%03X] = { %s, MONOCLE__IL_OPERAND_%s, %d, %d, MONOCLE__IL_FLOW_%s, %d, %d, %d },\n' % (
            row['value'] & 0xFF | (0x100 if opcode_size == 2 else 0), wide['enum'], operand, opcode_size,
            opcode_size + size, row['flow'], row['kind'] == 'IPrefix', slots(row['pop']), slots(row['push'])))
    out.write('};\n\nconst char *const monocle__il_names[MONOCLE__IL_TABLE_SIZE] = {\n')
    for row in rows:
        out.write('\t[0x%03X] = "%s",\n' % (
            row['value'] & 0xFF | (0x100 if row['len'] == '2' else 0), row['mnemonic']))
    out.write('};\n')


def main(source, header, table):
    rows = list(read_rows(source))
    with open(header, 'w') as out:
        write_header(rows, out)
    with open(table, 'w') as out:
        write_table(rows, out)


if __name__ == '__main__':
    main(*sys.argv[1:])
