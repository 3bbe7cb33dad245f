# SPDX-License-Identifier: MIT
# Names that try to be something else: markup, escapes of a terminal, other directions, broken UTF-8, tabs.
value calls count
value self nanoseconds
comment </script><script>document.title="owned"</script>
comment two\nlines \x1b[31mred
sample </script><img_src=x_onerror=alert(1)> 1 1000
sample </script><img_src=x_onerror=alert(1)>;"quoted"\\back\\slash' 2 2000
sample tab\there\nand\rthere 3 3000
sample \x1b]0;owned\x07\x1b[2J 4 4000
sample right\u202eto\u202cleft\u2028line 5 5000
sample broken\xff\xc3(\xe2\x82|\xed\xa0\x80 6 6000
sample Ünïcode.Größe:日本語_(漢字) 7 7000
