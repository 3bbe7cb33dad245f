// SPDX-License-Identifier: MIT
//! tally.rs - a profiler module: how often are the program's own methods called, and how many assemblies has it?
//!
//! No panic may leave a callback: the module is compiled with `panic=abort`, so that one would end the program.
use std::ffi::{c_void, CStr};
use std::io::Write;
use std::os::raw::c_char;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The module's own, a handle, and the program's methods, classes, images and assemblies.
type Pointer = *mut c_void;

// What the runtime that loads the module has.
extern "C" {
    fn mono_profiler_create(prof: Pointer) -> Pointer;
    fn mono_profiler_set_call_instrumentation_filter_callback(
        handle: Pointer,
        callback: extern "C" fn(Pointer, Pointer) -> u32,
    );
    fn mono_profiler_set_method_enter_callback(
        handle: Pointer,
        callback: extern "C" fn(Pointer, Pointer, Pointer),
    );
    fn mono_profiler_set_assembly_loaded_callback(
        handle: Pointer,
        callback: extern "C" fn(Pointer, Pointer),
    );
    fn mono_profiler_set_runtime_shutdown_end_callback(
        handle: Pointer,
        callback: extern "C" fn(Pointer),
    );
    fn mono_method_get_token(method: Pointer) -> u32;
    fn mono_method_get_class(method: Pointer) -> Pointer;
    fn mono_class_get_image(class: Pointer) -> Pointer;
    fn mono_assembly_get_image(assembly: Pointer) -> Pointer;
    fn mono_image_get_name(image: Pointer) -> *const c_char;
}

// MONO_PROFILER_CALL_INSTRUMENTATION_*
const NONE: u32 = 0;
const ENTER: u32 = 2;

static CALLS: AtomicU32 = AtomicU32::new(0);
static ASSEMBLIES: AtomicU32 = AtomicU32::new(0);

/// Is it the program's, and not the framework's?
fn is_own(image: Pointer) -> bool {
    const FRAMEWORK: [&[u8]; 5] = [b"mscorlib", b"netstandard", b"System", b"Microsoft.", b"Mono."];
    if image.is_null() {
        return false;
    }
    let name = unsafe { mono_image_get_name(image) };
    if name.is_null() {
        return false;
    }
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    !FRAMEWORK.iter().any(|prefix| name.starts_with(prefix))
}

/// Asked once for each method, when it is compiled. Mono also asks for glue code, which has no row in a table.
extern "C" fn filter(_prof: Pointer, method: Pointer) -> u32 {
    let glue = unsafe { mono_method_get_token(method) } & 0xffffff == 0;
    let own = || is_own(unsafe { mono_class_get_image(mono_method_get_class(method)) });
    if !glue && own() {
        ENTER
    } else {
        NONE
    }
}

/// Runs in the middle of the program's code: count and return, never wait.
extern "C" fn method_enter(_prof: Pointer, _method: Pointer, _context: Pointer) {
    CALLS.fetch_add(1, Relaxed);
}

extern "C" fn assembly_loaded(_prof: Pointer, assembly: Pointer) {
    if is_own(unsafe { mono_assembly_get_image(assembly) }) {
        ASSEMBLIES.fetch_add(1, Relaxed);
    }
}

/// Not by eprintln!, which panics when nothing can be written.
extern "C" fn runtime_shutdown_end(_prof: Pointer) {
    let line = format!("tally: calls {}, assemblies {}\n", CALLS.load(Relaxed), ASSEMBLIES.load(Relaxed));
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// `desc` is the text after --profile=, "tally" or "tally:ARGUMENTS".
#[no_mangle]
pub extern "C" fn mono_profiler_init_tally(_desc: *const c_char) {
    unsafe {
        let handle = mono_profiler_create(ptr::null_mut());
        mono_profiler_set_call_instrumentation_filter_callback(handle, filter);
        mono_profiler_set_method_enter_callback(handle, method_enter);
        mono_profiler_set_assembly_loaded_callback(handle, assembly_loaded);
        mono_profiler_set_runtime_shutdown_end_callback(handle, runtime_shutdown_end);
    }
}
