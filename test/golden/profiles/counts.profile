# SPDX-License-Identifier: MIT
# time=none: there is one value.
value calls count
sample A:Main () 1
sample A:Main ();A:B () 1000
sample A:Main ();A:B ();A:C () 999
