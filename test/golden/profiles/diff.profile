# SPDX-License-Identifier: MIT
# Amounts below zero, as a difference of two profiles has, and sums that do not fit.
value calls count
value self nanoseconds
sample A:Main () 1 -5000
sample A:Main ();A:Faster () -10 -7000000
sample A:Main ();A:Huge () 9223372036854775807 9223372036854775807
sample A:Main ();A:Huge ();A:Huge () 1 9223372036854775807
