# SPDX-License-Identifier: MIT
# Call paths that found no room: below [other paths], each method once, as calls writes them.
value calls count
value self nanoseconds
time 1767268800000000000
duration 2500000000
comment desc: calls
comment runtime: 6.8.0.105
comment folded: 5400000 calls are shown in [other paths]: call paths had 64 MiB of room (option paths)
sample App.Program:Main (string[])@app.exe 1 400000
sample App.Program:Main (string[])@app.exe;App.Walk:Node (int)@app.exe 100000 1000000000
sample App.Program:Main (string[])@app.exe;App.Walk:Node (int)@app.exe;App.Walk:Leaf (int)@app.exe 7000 20000000
sample App.Program:Main (string[])@app.exe;App.Walk:Node (int)@app.exe;[other paths];App.Walk:Node (int)@app.exe 4000000 700000000
sample App.Program:Main (string[])@app.exe;App.Walk:Node (int)@app.exe;[other paths];App.Walk:Leaf (int)@app.exe 1000000 300000000
sample App.Program:Main (string[])@app.exe;[other paths];App.Text:Trim (string)@app.exe 400000 90000000
