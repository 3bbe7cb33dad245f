// SPDX-License-Identifier: MIT
//
// tail.fs - what F# makes of recursion: calls that must be jumps, ten million deep, and exceptions beneath them.
module Tail
let rec count (n: int) (acc: int64) : int64 = if n = 0 then acc else count2 (n - 1) (acc + 1L)
and count2 (n: int) (acc: int64) : int64 = if n = 0 then acc else count (n - 1) (acc + 2L)
let rec cps (n: int) (k: int64 -> int64) : int64 = if n = 0 then k 0L else cps (n - 1) (fun r -> k (r + 1L))
let rec fail (n: int) : int = if n = 0 then failwith "bottom" else other (n - 1)
and other (n: int) : int = if n % 1000 = 7 then 1 + fail (n - 1) else fail (n - 1)
type Base() =
    abstract Step : int * int64 -> int64
    default this.Step (n, acc) = if n = 0 then acc else this.Step (n - 1, acc + 1L)
type Derived() =
    inherit Base()
    override this.Step (n, acc) = if n % 2 = 0 then base.Step (n, acc) else base.Step (n, acc + 5L)
let inline pipe f x = x |> f
let rec generic<'a> (n: int) (x: 'a) (f: 'a -> 'a) : 'a = if n = 0 then x else generic (n - 1) (f x) f
[<EntryPoint>]
let main _ =
    printfn "%d" (count 10000000 0L)
    printfn "%d" (cps 1000000 id)
    for i in 0 .. 3 do
        try printfn "%d" (fail (i * 5000 + 4)) with Failure m -> printfn "%s" m
    printfn "%d" (Derived().Step (1000000, 0L))
    printfn "%d %s" (generic 1000000 1 ((+) 1)) (generic 10 "a" (fun s -> s + "b"))
    printfn "%A" (Seq.unfold (fun n -> if n > 20 then None else Some (n, n * 2)) 1 |> Seq.map (fun n -> n + 1) |> Seq.toList)
    let work = async { let! a = async { return 1 } in return a + 1 }
    printfn "%d" (Async.StartImmediateAsTask work).Result // on this thread: which pool thread does what would vary
    42
