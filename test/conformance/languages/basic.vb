' SPDX-License-Identifier: MIT
'
' basic.vb - what Visual Basic's compiler makes methods of. `basic` runs all but Never; `basic wait` begins a chain of
' async methods, says "ready", and ends when standard input does. A comment has the branches of its line.
Option Infer On
Imports System
Imports System.Collections.Generic
Imports System.Diagnostics.CodeAnalysis
Imports System.Linq
Imports System.Threading.Tasks

Namespace Shop
    Public Class Order
        Public Event Changed As EventHandler(Of EventArgs)
        Private ReadOnly prices As New List(Of Integer)
        Public Shared ReadOnly Twice As Func(Of Integer, Integer) = Function(n) n * 2
        WithEvents other As Order

        Public Function Never(n As Integer) As Integer
            Return n + 1
        End Function

        Public Async Function Work(Of T)(n As T) As Task(Of T)
            Await Task.Yield()
            Return n
        End Function

        Public Iterator Function Some(most As Integer) As IEnumerable(Of Integer)
            For i As Integer = 0 To most
                Yield i
            Next
        End Function

        Public Function NeverEither(n As Integer) As Integer
            Return n + 1
        End Function

        Public Async Function Total(most As Integer) As Task(Of Integer)
            Dim some As Integer = Me.Some(most).Where(Function(p) p > most \ 2).Sum(Function(p) p + 1)
            Dim asynchronous = Async Function(x As Integer)
                                   Await Task.Yield()
                                   Return x + some
                               End Function
            Dim again = Function(x As Integer) As Integer
                            Dim deeper = Function(y As Integer) y + x + some
                            Return deeper(x)
                        End Function
            Dim numbers = Iterator Function() As IEnumerable(Of Integer)
                              Yield some
                          End Function
            Return Await asynchronous(1) + again(2) + numbers().Sum()
        End Function

        Public ReadOnly Property Count As Integer
            Get
                Dim counted = Function() prices.Count
                Return counted()
            End Get
        End Property

        Public ReadOnly Iterator Property All As IEnumerable(Of Integer)
            Get
                Yield 1
            End Get
        End Property

        Private Sub Handle(sender As Object, e As EventArgs) Handles other.Changed
            Console.WriteLine("handled")
        End Sub

        Public Sub Raise(n As Order)
            other = n
            RaiseEvent Changed(Me, EventArgs.Empty)
        End Sub

        Public Async Sub Fire()
            Await Task.Yield()
        End Sub

        Public Function Query(list As List(Of Integer)) As Integer
            Static counter As Integer = 0
            counter += 1
            Return (From x In list Where x > 2 Order By x Descending Select x + counter).Sum()
        End Function

        <ExcludeFromCodeCoverage>
        Public Function LeftOut(list As List(Of Integer)) As Integer
            Return list.Sum(Function(x) x + 1)
        End Function

        <ExcludeFromCodeCoverage>
        Public Async Function LeftOutLater(list As List(Of Integer)) As Task(Of Integer)
            Dim later = Async Function(x As Integer)
                            Await Task.Yield()
                            Return x + list.Sum(Function(y) y + 1)
                        End Function
            Return Await later(1)
        End Function

        Public Function Choose(n As Integer) As String
            If n > 3 AndAlso n < 10 Then ' 4
                Return "some"
            End If
            Return If(n = 0, "none", "many") ' 2
        End Function
    End Class

    Class Box(Of T)
        Public Async Function Wait(a As T) As Task(Of T)
            Await Task.Yield()
            Dim taken = Function() a
            Return taken()
        End Function

        Class Inner(Of U)
            Public Iterator Function Once(a As U) As IEnumerable(Of U)
                Dim same As Func(Of Integer, Integer) = Function(x) x
                Console.WriteLine(same(1))
                Yield a
            End Function
        End Class
    End Class

    Module M
        Private ReadOnly never As New TaskCompletionSource(Of Integer)

        Async Function Innermost() As Task(Of Integer)
            Return Await never.Task
        End Function

        Async Function Outermost() As Task(Of Integer)
            Dim middle = Async Function(n As Integer)
                             Return n + Await Innermost()
                         End Function
            Return Await middle(1)
        End Function

        Private Sub BeginWaiting()
            Dim waits As Task(Of Integer) = Outermost()
            Console.WriteLine("ready")
            Console.In.ReadToEnd()
            GC.KeepAlive(waits)
        End Sub

        Sub Main(arguments As String())
            If arguments.Length > 0 Then ' 2
                BeginWaiting()
                Return
            End If
            Dim o As New Order
            Console.WriteLine(o.Work(9).Result)
            Console.WriteLine(o.Total(9).Result)
            o.Raise(o)
            o.Raise(o)
            o.Fire()
            Console.WriteLine(o.Count + o.All.Sum() + Order.Twice(1))
            Console.WriteLine(o.Query(New List(Of Integer) From {1, 3, 5}))
            Console.WriteLine(o.LeftOut(New List(Of Integer) From {1}) + o.LeftOutLater(New List(Of Integer) From {1}).Result)
            Console.WriteLine(o.Choose(4) + o.Choose(0))
            Console.WriteLine(New Box(Of String)().Wait("a").Result)
            Console.WriteLine(New Box(Of String).Inner(Of Integer)().Once(1).Sum())
            Dim act As Action = Sub() Console.WriteLine("sub")
            act()
        End Sub
    End Module
End Namespace
