# SPDX-License-Identifier: MIT
# Recursion, a callee with two callers, two threads. Times in nanoseconds.
value calls count
value self nanoseconds
time 1767268800000000000
duration 3500000000
comment desc: calls:threads
comment runtime: 6.8.0.105
sample App.Program:Main (string[])@app.exe 1 400000
sample App.Program:Main (string[])@app.exe;App.Work:Fib (int)@app.exe 10 1000000000
sample App.Program:Main (string[])@app.exe;App.Work:Fib (int)@app.exe;App.Work:Fib (int)@app.exe 1234567 2000000000
sample App.Program:Main (string[])@app.exe;App.Work:Fib (int)@app.exe;App.Text:Join<T_REF> (System.Collections.Generic.IEnumerable`1<T_REF>,string)@app.exe 3 999
sample App.Program:Main (string[])@app.exe;App.Text:Join<T_REF> (System.Collections.Generic.IEnumerable`1<T_REF>,string)@app.exe 2 12345678
sample App.Program/<>c:<Run>b__0_0 ()@app.exe 4 45678 thread=worker
sample App.Program/<>c:<Run>b__0_0 ()@app.exe;App.Work:Fib (int)@app.exe 7 5000 thread=worker
