/*
 * SPDX-License-Identifier: MIT
 *
 * empty.c - the content of the libraries that carry Mono's SONAMEs.
 *
 * The dynamic linker matches a module's DT_NEEDED entry against the SONAMEs of what is already loaded. With this
 * library in the process, a module linked with -lmonosgen-2.0 brings no dead Mono in and finds every mono_* function in
 * the global scope, where the core put its own. Hence it must export nothing, and a translation unit must hold
 * something.
 */
typedef int nothing;
