#!/usr/bin/env python3
"""Compares the results of test_progs built in two ways, from two files of a guest's results. Exit
status 1 if a test does worse in the second, or if there are none.

  compare_tests.py BEFORE AFTER"""
import re
import sys


def results(path):
    """Of each test (passed, passed subtests), or None if it did not end; the best of several runs. And
    the names of those that failed before they passed."""
    tests, unsteady = {}, []
    for line in open(path, errors="replace"):
        if match := re.match(r"begins \d+ (\S+)", line):
            tests[match[1]] = None
        if match := re.match(r"test (\S+) (\d+) (?:Summary: (\d+)/(\d+) PASSED, (\d+) SKIPPED)?", line):
            name, status, passed, subtests, skipped = match.groups()
            result = status == "0" and passed is not None and int(passed) > 0, int(subtests or 0)
            if tests[name] and result > tests[name]:
                unsteady.append(name)
            tests[name] = max(tests[name] or result, result)
    return tests, unsteady


def main():
    (before, _), (after, unsteady) = (results(path) for path in sys.argv[1:])
    worse = 0
    for name in unsteady:
        print(f"unsteady: {name} failed first")
    for name in sorted(before):
        old, new = before[name] or (False, 0), after.get(name) or (False, 0)
        if new < old:
            worse += 1
            print(f"worse: {name}: passed {old[0]}, {old[1]} subtests; after {new[0]}, {new[1]}")
        elif new > old:
            print(f"better: {name}: passed {old[0]}, {old[1]} subtests; after {new[0]}, {new[1]}")
    for title, tests in (("before", before), ("after", after)):
        ended = [result for result in tests.values() if result]
        print(f"test_progs {title}: {len(tests)} tests, {sum(passed for passed, _ in ended)} pass "
              f"({sum(subtests for _, subtests in ended)} subtests)")
    print(f"{worse} worse")
    return worse > 0 or not before


sys.exit(main())
