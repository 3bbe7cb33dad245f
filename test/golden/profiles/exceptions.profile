# SPDX-License-Identifier: MIT
# Types of the program and of the framework, an await that throws again, a type that nobody's code threw.
value rethrown count
value exceptions count
default exceptions
comment desc: exceptions
comment program: shop, pid 42, on host
comment type 1: Shop.Orders/Closed: 8 thrown, 3 rethrown; first message: order 1 is closed
comment type 2: System.FormatException: 5 thrown, 0 rethrown; first message: none
comment type 3: System.IO.IOException: 1 thrown, 0 rethrown; first message: gone
sample System.Threading.ThreadPoolWorkQueue:Dispatch ()@/x/shared/Microsoft.NETCore.App/10/System.Private.CoreLib.dll;Shop.Orders/<Add>d__1:MoveNext ()@/srv/shop.dll;Shop.Orders/Closed@/srv/shop.dll 0 6
sample System.Threading.ThreadPoolWorkQueue:Dispatch ()@/x/shared/Microsoft.NETCore.App/10/System.Private.CoreLib.dll;Shop.Orders/<Get>d__2:MoveNext ()@/srv/shop.dll;System.Runtime.ExceptionServices.ExceptionDispatchInfo:Throw ()@/x/shared/Microsoft.NETCore.App/10/System.Private.CoreLib.dll;Shop.Orders/Closed@/srv/shop.dll 3 0
sample Shop.Program:Main ()@/srv/shop.dll;Shop.Orders:Check (int)@/srv/shop.dll;Shop.Orders/Closed@/srv/shop.dll 0 2
sample Shop.Program:Main ()@/srv/shop.dll;System.Int32:Parse (string)@/x/shared/Microsoft.NETCore.App/10/System.Private.CoreLib.dll;System.FormatException@/x/shared/Microsoft.NETCore.App/10/System.Private.CoreLib.dll 0 5
sample System.IO.FileStream:Finalize ()@/x/shared/Microsoft.NETCore.App/10/System.Private.CoreLib.dll;System.IO.IOException@/x/shared/Microsoft.NETCore.App/10/System.Private.CoreLib.dll 0 1
sample System.NullReferenceException@/x/shared/Microsoft.NETCore.App/10/System.Private.CoreLib.dll 0 1
