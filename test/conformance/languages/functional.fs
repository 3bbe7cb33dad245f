// SPDX-License-Identifier: MIT
//
// functional.fs - what F#'s compiler makes methods of. `functional` runs all but never; `functional wait` begins a chain
// of tasks, says "ready", and ends when standard input does. A comment has the branches of its line.
module Shop.Program

open System
open System.Collections.Generic
open System.Diagnostics.CodeAnalysis
open System.Threading.Tasks

type Shape =
    | Circle of radius: float
    | Square of float
    | Nothing
    member this.Area =
        match this with
        | Circle r -> r * r
        | Square s -> s * s
        | Nothing -> 0.0

let never (n: int) = n + 1

let (|Even|Odd|) n = if n % 2 = 0 then Even else Odd // 2
let parity n = match n with Even -> "even" | Odd -> "odd" // 2

let compose (list: int list) =
    list |> List.map (fun x -> x + 1) |> List.filter (fun x -> x > 1) |> List.map (fun x -> x * 2) |> List.length

let captured (n: int) =
    let inner k = k + n
    let rec factorial k = if k <= 1 then 1 else k * factorial (k - 1) // 2
    [ 1; 2 ] |> List.map inner |> List.map factorial |> List.length

[<ExcludeFromCodeCoverage>]
let leftOut (list: int list) =
    let added x = x + 1
    list |> List.map added |> List.map (fun x -> x - 1) |> List.length

let work (n: int) =
    task {
        let! a = Task.FromResult n
        do! Task.Delay 1
        return a + 1
    }

let asynchronous (n: int) =
    async {
        let! a = async { return n }
        do! Async.Sleep 1
        return a + 1
    }

let numbers n =
    seq {
        for i in 0..n do // 2
            yield i * 2
            if i = 2 then // 2
                yield! [ 9; 8 ]
    }

type Account(start: int) =
    let mutable balance = start
    static member val Shared = 4 with get, set
    member this.Deposit(n: int) =
        let add = fun () -> balance <- balance + n
        add ()
        this
    member this.WorkAsync(n: int) =
        task {
            do! Task.Delay 1
            return n + balance
        }

type Box<'T>(v: 'T) =
    member _.Map(f: 'T -> 'U) = fun () -> f v
    member _.Wait() =
        task {
            do! Task.Delay 1
            return v
        }

module Inner =
    let helper x = [ x ] |> List.map (fun y -> y + x)

module Shape =
    let scale k s =
        match s with
        | Circle r -> Circle(r * k)
        | s -> s

let comparer () =
    { new IComparer<int> with
        member _.Compare(a, b) = a - b }

let lazily = lazy (1 + 2)
let slice (s: string) = s.[1..3]
let ``spaced name`` x = [ x ] |> List.map (fun a -> a + 1)

let inline squared x = x * x

exception Trouble of string

let forced o =
    let (Some x) = o
    x

let caught f =
    try
        f ()
    with // 2
    | Trouble m -> m
    | :? InvalidOperationException as e -> e.Message

let caughtOne f =
    try
        f ()
    with
    | Trouble m -> m

let caughtLater (n: int) =
    task {
        try
            do! Task.Delay n
            return "in time"
        with
        | Trouble m -> return m
    }

let innermost (source: TaskCompletionSource<int>) = task { return! source.Task }

let outermost source =
    task {
        let! n = innermost source
        return n + 1
    }

let wait () =
    let waits = outermost (TaskCompletionSource<int>())
    Console.WriteLine "ready"
    Console.In.ReadToEnd() |> ignore
    GC.KeepAlive waits

let runAll () =
    Console.WriteLine(parity 3)
    Console.WriteLine((Circle 1.0).Area)
    Console.WriteLine(compose [ 1; 2; 3 ] + captured 3 + leftOut [ 1 ])
    Console.WriteLine((work 3).Result + (asynchronous 3 |> Async.RunSynchronously))
    Console.WriteLine(numbers 3 |> Seq.length)
    Console.WriteLine((Account(3).Deposit(3).WorkAsync 3).Result + Account.Shared)
    Console.WriteLine(Box("s").Wait().Result + (Box "s").Map (fun s -> s + "t") ())
    Console.WriteLine(Inner.helper 1 |> List.length)
    Console.WriteLine((Shape.scale 2.0 (Circle 1.0)).Area)
    Console.WriteLine((comparer ()).Compare(1, 2))
    Console.WriteLine(slice "abcdef" + lazily.Value.ToString())
    Console.WriteLine(``spaced name`` 2 |> List.length)
    Console.WriteLine(caught (fun () -> raise (Trouble "caught")) + caughtOne (fun () -> "one"))
    Console.WriteLine((caughtLater 1).Result + (forced (Some (squared 3))).ToString())
    let twice = Func<int, int>(fun x -> x + x)
    Console.WriteLine(twice.Invoke 2)

[<EntryPoint>]
let main arguments =
    if arguments.Length > 0 then wait () else runAll () // 2
    0
