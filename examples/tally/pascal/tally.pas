{ SPDX-License-Identifier: MIT }
{ tally.pas - a profiler module: how often are the program's own methods called, and how many assemblies has it?

  No exception may leave a callback. Callbacks run on threads that Pascal did not begin: no exceptions, strings or
  threadvars in them, only plain types. }
library profiler;
{$mode objfpc}{$I-}

uses strings;

const
  None = 0;  { MONO_PROFILER_CALL_INSTRUMENTATION_* }
  Enter = 2;

type
  TFilter = function(prof, method: Pointer): LongWord; cdecl;
  TMethodEnter = procedure(prof, method, context: Pointer); cdecl;
  TAssemblyLoaded = procedure(prof, assembly: Pointer); cdecl;
  TRuntimeShutdownEnd = procedure(prof: Pointer); cdecl;

{ What the runtime that loads the module has. }
function mono_profiler_create(prof: Pointer): Pointer; cdecl; external;
procedure mono_profiler_set_call_instrumentation_filter_callback(handle: Pointer; callback: TFilter); cdecl; external;
procedure mono_profiler_set_method_enter_callback(handle: Pointer; callback: TMethodEnter); cdecl; external;
procedure mono_profiler_set_assembly_loaded_callback(handle: Pointer; callback: TAssemblyLoaded); cdecl; external;
procedure mono_profiler_set_runtime_shutdown_end_callback(handle: Pointer; callback: TRuntimeShutdownEnd); cdecl;
  external;
function mono_method_get_token(method: Pointer): LongWord; cdecl; external;
function mono_method_get_class(method: Pointer): Pointer; cdecl; external;
function mono_class_get_image(klass: Pointer): Pointer; cdecl; external;
function mono_assembly_get_image(assembly: Pointer): Pointer; cdecl; external;
function mono_image_get_name(image: Pointer): PChar; cdecl; external;

var
  Calls, Assemblies: LongInt;

{ Is it the program's, and not the framework's? }
function IsOwn(image: Pointer): Boolean;
const
  Framework: array[0..4] of PChar = ('mscorlib', 'netstandard', 'System', 'Microsoft.', 'Mono.');
var
  name: PChar;
  i: Integer;
begin
  name := nil;
  if image <> nil then
    name := mono_image_get_name(image);
  Result := name <> nil;
  for i := Low(Framework) to High(Framework) do
    if Result and (strlcomp(name, Framework[i], strlen(Framework[i])) = 0) then
      Result := False;
end;

{ Asked once for each method, when it is compiled. Mono also asks for glue code, which has no row in a table. }
function Filter(prof, method: Pointer): LongWord; cdecl;
begin
  Result := None;
  if (mono_method_get_token(method) and $ffffff <> 0) and IsOwn(mono_class_get_image(mono_method_get_class(method))) then
    Result := Enter;
end;

{ Runs in the middle of the program's code: count and return, never wait. }
procedure MethodEnter(prof, method, context: Pointer); cdecl;
begin
  InterlockedIncrement(Calls);
end;

procedure AssemblyLoaded(prof, assembly: Pointer); cdecl;
begin
  if IsOwn(mono_assembly_get_image(assembly)) then
    InterlockedIncrement(Assemblies);
end;

{ With $I- above, a line that cannot be written is no error. }
procedure RuntimeShutdownEnd(prof: Pointer); cdecl;
begin
  WriteLn(StdErr, 'tally: calls ', Calls, ', assemblies ', Assemblies);
  Flush(StdErr);
  IOResult;
end;

{ `desc` is the text after --profile=, "tally" or "tally:ARGUMENTS". }
procedure Init(desc: PChar); cdecl;
var
  handle: Pointer;
begin
  handle := mono_profiler_create(nil);
  mono_profiler_set_call_instrumentation_filter_callback(handle, @Filter);
  mono_profiler_set_method_enter_callback(handle, @MethodEnter);
  mono_profiler_set_assembly_loaded_callback(handle, @AssemblyLoaded);
  mono_profiler_set_runtime_shutdown_end_callback(handle, @RuntimeShutdownEnd);
end;

exports
  Init name 'mono_profiler_init_tally';

begin
end.
