#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All that asks pages in a browser, in one Chromium.

    test_browser.py MONOCLE [FILE[.CLASS[.TEST]]...]
"""
import browser_case

browser_case.main('test_flame_browser', 'test_flame_page', 'test_coverage_browser', 'test_speedscope')
