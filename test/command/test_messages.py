#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the processes of a run say is said by `monocle run`, and not by their own stderr. The shell plays them."""
import os
import pathlib
import subprocess
import sys

import case

SAY = ('say () { printf "monocle: %s\\n" "$2" >> "$MONOCLE_RUN_DIR/$1.messages"; }; '
       'echo 9 > "$MONOCLE_RUN_DIR/41.loaded"; ')
MOST = 1 << 20  # bytes that a process says in a run


class Messages(case.Case):
    def lines(self, script, *options, **more):
        """What the command says of the messages; it says other things as well."""
        code, out, error = self.shell(SAY + script, '-q', *options, **more)
        self.assertEqual((code, out), (3, 'ran\n'))
        return [line for line in error.splitlines() if 'was not profiled' not in line and 'no profile from' not in line]

    def test_a_message_is_said_with_its_process(self):
        lines = self.lines('say 41 "cover: csc has no symbols"; say 52 "calls: and more"; say 41 two; echo ran; exit 3')
        self.assertEqual([line for line in lines if ' 41: ' in line],
                         ['monocle: process 41: cover: csc has no symbols', 'monocle: process 41: two'])
        self.assertIn('monocle: process 52: calls: and more', lines)
        self.assertEqual(len(lines), 3)
        self.assertNothingLeft()

    def test_it_is_said_while_the_program_runs(self):
        os.mkfifo(self.work / 'end')
        process = self.start('run', '-q', '--', '/bin/sh', '-c', SAY + 'say 41 first; cat end; say 41 second; exit 3')
        self.addCleanup(process.kill)
        self.assertEqual(process.stderr.readline(), b'monocle: process 41: first\n')
        self.assertIsNone(process.poll())
        with open(self.work / 'end', 'w'):
            pass
        _, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error.splitlines()[0]), (3, b'monocle: process 41: second'))

    def test_the_stderr_of_the_program_has_nothing_of_it(self):
        lines = self.lines('exec 2> own; echo mine >&2; say 41 hers; echo ran; exit 3')
        self.assertEqual(lines, ['monocle: process 41: hers'])
        self.assertEqual((self.work / 'own').read_text(), 'mine\n')

    def test_a_line_cannot_steer_a_terminal_and_needs_no_end(self):
        lines = self.lines('say 41 "$(printf "red\\033[31m")"; printf "no end" >> $MONOCLE_RUN_DIR/41.messages; '
                           'echo ran; exit 3')
        self.assertEqual(lines, ['monocle: process 41: red?[31m', 'monocle: process 41: no end'])

    def test_missing_lines_are_counted_over_all_libraries(self):
        lines = self.lines('cd $MONOCLE_RUN_DIR; truncate -s 5 41.a0.lost; truncate -s 2 41.b0.lost; '
                           'truncate -s 1 7.c0.lost; : > 8.d0.lost; echo ran; exit 3')
        self.assertEqual(lines, ['monocle: process 7 had more to say: 1 messages could not be written',
                                 'monocle: process 41 had more to say: 7 messages could not be written'])
        self.assertNothingLeft()

    def test_a_file_without_an_end_is_bounded_and_what_is_no_file_of_messages_is_left_alone(self):
        lines = self.lines('cd $MONOCLE_RUN_DIR; yes 0123456789abcde | head -c %d > 41.messages; mkfifo 5.messages; '
                           'ln -s /etc/passwd 6.messages; echo x > x.messages; echo x > 7.other; mkdir 8.messages; '
                           'echo ran; exit 3' % (4 * MOST))
        self.assertEqual(set(lines), {'monocle: process 41: 0123456789abcde'})
        self.assertLess(abs(len(lines) - 2 * MOST // 16), 64 << 10 >> 4)

    def test_a_closed_stderr_is_no_end_of_the_program(self):
        read, write = os.pipe()
        os.close(read)
        process = subprocess.Popen(
            [self.program, 'run', '-q', '--', '/bin/sh', '-c', SAY + 'say 41 one; say 41 two; echo ran; exit 3'],
            cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=write)
        os.close(write)
        self.assertEqual((process.communicate(timeout=60)[0], process.returncode), (b'ran\n', 3))

    def test_what_outlives_the_command_keeps_its_messages_which_are_named_later(self):
        self.be_patient(0)
        os.mkfifo(self.work / 'end')
        end = os.open(self.work / 'end', os.O_RDWR)
        (self.work / 'program').write_text(
            SAY + 'say $$ early; echo $MONOCLE_RUN_DIR > folder; echo $$ > pid\n'
            'while kill -0 $1 2> /dev/null; do :; done; cat end > /dev/null; say $$ late; : > over\n')
        code, _, error = self.shell('/bin/sh program $$ < /dev/null > /dev/null 2>&1 & '
                                    'while [ ! -s pid ]; do sleep 0.01; done; exit 3', '-q')
        folder, pid = ((self.work / name).read_text().strip() for name in ('folder', 'pid'))
        self.assertEqual((code, error.splitlines()[0]), (3, 'monocle: process %s: early' % pid))
        self.assertNotIn(folder, self.monocle('report')[2])
        os.write(end, b'x')
        os.close(end)
        while not (self.work / 'over').exists():
            pass
        self.assertIn('an earlier run has left %s/%s.messages' % (folder, pid), self.monocle('report')[2])
        self.assertEqual((pathlib.Path(folder) / (pid + '.messages')).read_text(), 'monocle: late\n')


if __name__ == '__main__':
    case.main()
