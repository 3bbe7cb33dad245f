# SPDX-License-Identifier: MIT
# What calls:threshold=5ms,args,result writes; the order is not by duration, and names are whatever a program says.
value calls count
value self nanoseconds
time 1700000000000000000
duration 3000000000
comment desc: calls:threshold=5ms,args,result
comment slow: 7 calls took 5 ms or more; only 6 of them, the longest, with report --slow
sample A:Main () 1 1000000
sample A:Main ();A:B (int,string) 3 9000000
slow {"stack": "A:Main ();A:B (int,string)", "start": 1234567890, "duration": 5020000, "thread": 12345, "thread_name": "worker 1", "arguments": "(5, \"x\")", "result": "7"}
slow {"stack": "A:Main ();A:B (int,string)", "start": 5, "duration": 900000000, "thread": 7, "end": 1, "arguments": "(-1, null)"}
slow {"stack": "A:Main ()", "start": 0, "duration": 3000000000, "thread": 7, "end": 4}
slow {"stack": "A:Main ();A:C ()", "duration": 6000000, "thread": 7, "end": 2, "arguments": "()", "result": "-5"}
slow {"stack": "A:Main ();A:C ()", "duration": 6000000, "thread": 7, "end": 3, "thread_name": "a name that is longer than the table has room for"}
slow {"stack": "A:Main ();A:D\\x1b[1m ()", "duration": 5500000, "thread": 9, "end": 99, "thread_name": "\u202e\u001b", "arguments": "(\"\u202e\")", "result": "\"=1\""}
