# SPDX-License-Identifier: MIT
# A program in which nothing was called.
value calls count
value self nanoseconds
