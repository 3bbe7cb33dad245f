/*
 * SPDX-License-Identifier: MIT
 *
 * browser.h - showing a page that was written.
 */
#ifndef MONOCLE_TOOLS_BROWSER_H
#define MONOCLE_TOOLS_BROWSER_H

/*
 * Has the user's browser open the file and does not wait for it: $BROWSER, which may be several separated by colons, or
 * xdg-open where there is a display. Where none can be started one line says why and which file to open.
 */
void monocle__browser_open (const char *path);

#endif
