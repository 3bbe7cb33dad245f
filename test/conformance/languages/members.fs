// SPDX-License-Identifier: MIT
//
// members.fs - a type that stands in a namespace: F#'s compiler puts what it makes of the members into a class of the
// file, and not into the type.
namespace Shop

open System
open System.Diagnostics.CodeAnalysis
open System.Threading.Tasks

type Counter(start: int) =
    member this.WorkAsync(n: int) =
        task {
            do! Task.Delay 1
            return n + start
        }
    member this.Twice(n: int) =
        let twice = fun k -> k + n + start
        [ n; n + 1 ] |> List.map twice |> List.length
    [<ExcludeFromCodeCoverage>]
    member this.LeftOut(n: int) =
        [ n ] |> List.map (fun k -> k + start) |> List.length

module Values =
    let beside (n: int) = n + 1
    let table =
        let other = fun k -> k + 3
        [ 1; 2; 3 ] |> List.map other |> List.map other

module Program =
    [<EntryPoint>]
    let main arguments =
        let counter = Counter 2
        Console.WriteLine((counter.WorkAsync 3).Result + counter.Twice 4 + counter.LeftOut 5)
        Console.WriteLine(List.length Values.table)
        0
