# SPDX-License-Identifier: MIT
# A web program: pool threads, async methods, lambdas, a callback from a library, methods of one name, a native thread.
value samples count
value cpu nanoseconds
time 1767268800000000000
duration 3500000000
comment desc: sample:threads,output=/tmp/monocle-x/output.%p.%n.pb.gz
comment runtime: 10.0.12 (CoreCLR)
comment program: shop, pid 42, on host
sample System.Threading.Thread:StartCallback ()@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll;System.Threading.ThreadPoolWorkQueue:Dispatch ()@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll;Microsoft.AspNetCore.Http:Run (object)@/dotnet/shared/Microsoft.AspNetCore.App/10.0.0/Microsoft.AspNetCore.Http.dll;(wrapper dynamic-method) object:lambda_method1 (object);Program/<>c:<<Main>$>b__0_0 (int)@/srv/shop.dll;Program:<<Main>$>g__Sum|0_5 (int)@/srv/shop.dll 3 300 thread=worker_1
sample System.Threading.Thread:StartCallback ()@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll;System.Threading.ThreadPoolWorkQueue:Dispatch ()@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll;Shop.Orders:Find (System.Collections.Generic.List`1<Shop.Order>,int)@/srv/Shop.Orders.dll;System.Linq.Enumerable:ToList<TSource_REF> (System.Collections.Generic.IEnumerable`1<TSource_REF>)@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Linq.dll;System.Linq.Enumerable/Where`1<TSource_REF>:MoveNext ()@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Linq.dll;Shop.Orders/<>c__DisplayClass5_0:<Find>b__0 (Shop.Order)@/srv/Shop.Orders.dll;System.Text.RegularExpressions.Regex:IsMatch (string)@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Text.RegularExpressions.dll;System.Text.RegularExpressions.Regex:Run (int)@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Text.RegularExpressions.dll 4 400 thread=worker_1
sample Shop.Orders:Find (System.Collections.Generic.List`1<Shop.Order>,int)@/srv/Shop.Orders.dll;System.Linq.Enumerable:ToList<TSource_REF> (System.Collections.Generic.IEnumerable`1<TSource_REF>)@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Linq.dll;System.Linq.Enumerable/Where`1<TSource_REF>:MoveNext ()@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Linq.dll 1 100 thread=worker_2
sample Shop.Orders:LoadAsync (int)@/srv/Shop.Orders.dll;System.Runtime.CompilerServices.AsyncTaskMethodBuilder:Start<TStateMachine_REF> (TStateMachine_REF&)@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll;System.Runtime.CompilerServices.AsyncMethodBuilderCore:Start<TStateMachine_REF> (TStateMachine_REF&)@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll;Shop.Orders/<LoadAsync>d__3:MoveNext ()@/srv/Shop.Orders.dll 1 110 thread=main
sample System.Threading.Thread:StartCallback ()@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll;Shop.Orders/<LoadAsync>d__3:MoveNext ()@/srv/Shop.Orders.dll;System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1<int>:SetResult (int)@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll;System.Threading.Tasks.Task:RunContinuations (object)@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll;Program/<<Main>$>d__0:MoveNext ()@/srv/shop.dll;Shop.Orders/<Lines>d__7:MoveNext ()@/srv/Shop.Orders.dll 2 220 thread=worker_2
sample Tool:Same (int)@/srv/shop.dll 1 50 thread=main
sample Tool:Same (int)@/srv/Shop.Orders.dll 1 50 thread=main
sample System.GC:Wait ()@/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll 1 30 thread=main
sample Json.Net:Parse (string)@/root/.nuget/packages/json.net/1.0.0/lib/Json.Net.dll;Shop.Order:.ctor ()@/srv/Shop.Orders.dll 1 25 thread=main
sample [native] 2 60
sample start_thread@/lib/x86_64-linux-gnu/libc.so.6;[libcoreclr.so]@/dotnet/shared/x/libcoreclr.so;[libcoreclr.so]@/dotnet/shared/x/libcoreclr.so;Shop.Orders:Poll ()@/srv/Shop.Orders.dll;mine@/srv/libmine.so 1 40
