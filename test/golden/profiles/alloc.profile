# SPDX-License-Identifier: MIT
# Other values than calls; the default is named and is neither the first nor the last.
value alloc_objects count
value alloc_space bytes
value inuse_space bytes
default alloc_space
sample A:Main ();A:Make (int) 10 10485760 100
sample A:Main ();A:Keep (object);A:Make (int) 5 512 512
sample A:Main () 1 24 0
