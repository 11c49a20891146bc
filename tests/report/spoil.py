"""Changes the report in a page of --size-map: names that are no text, and endless chains."""
import json
import re
import sys

NAMES = ["</script><script>wrong.push('it ran')</script>", "<img src=x onerror=wrong.push('it_ran')>",
         "\0\x01\x1b[31m\r\n\t", "\u202eabc\u2066", "x" * 10000, "", "__proto__", "constructor", "\U0001f600" * 300,
         "&amp;", "/a/b/c", " ", "~2", "(x)"]


def name(i):
    return NAMES[i % len(NAMES)]


page = open(sys.argv[1]).read()
report = json.loads(re.search(r'(?<=id="report">).*?(?=</script>)', page, re.S)[0])
nodes = report["nodes"]
for i, node in enumerate(nodes[1:], 1):
    if i % 3 == 0:
        node["name"] = name(i // 3)
    if i % 5 == 0:
        node["member"] = name(i // 5)
    if i % 7 == 0:
        node["needed_by"] = min(i + 1, len(nodes) - 1)
    if i % 7 == 1:
        node["needed_by"] = i - 1  # a cycle of two
    if i % 11 == 0:
        node["needed_by"] = 10 ** 9
    if i % 13 == 0:
        node["root"] = name(i)
    if i % 17 == 0:
        node["uses"] = [i, 0, -1, 10 ** 9, 3]
for i, one in enumerate(report["programs"] + report["maps"] + report["variables"]):
    one["name"] = name(i)
    for value in one.values():
        if isinstance(value, list):
            value.extend(NAMES)
for i, one in enumerate(report["inputs"]):
    one["name"] = name(i)
for i, one in enumerate(report["lines"]):
    one["file"] = name(i)
for i, one in enumerate(report["dropped"]):
    one["name"], one["file"] = name(i), name(i // 2)
    if one["reason"] != "DWARF":
        one["reason"] = name(i // 3)
report["output"]["name"] = NAMES[0] + NAMES[4]
before, after = re.split(r'(?<=id="report">).*?(?=</script>)', page, maxsplit=1, flags=re.S)
print(before + json.dumps(report).replace("<", "\\u003c") + after)
