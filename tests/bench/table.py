#!/usr/bin/env python3
"""Prints the results of run.sh as a Markdown table and draws them as a plot.

table.py RESULTS [--plot FILE.svg]

RESULTS contains the file `rows`, with one line per row of the table (number, series, size, input,
peer, the peer's and the program's peak memory in KB, their page faults; separated by tabs), and
hyperfine's exports: ROW.peer.ROUND and ROW.own.ROUND. The table's last columns tell how processor time
divides: in the program and in the system, in milliseconds, and page faults.
"""

import argparse
import dataclasses
import json
import math
import pathlib
import statistics


@dataclasses.dataclass
class Row:
    series: str
    size: int
    input: str
    peer: str
    seconds: dict  # for "peer" and "own"
    kilobytes: dict
    processor: dict  # milliseconds, faults


def times_of(result):
    """The times of one of hyperfine's results, in seconds: `times` before its version 2."""
    if "times" in result:
        return result["times"]
    return [run["time_wall_clock"]["value"] for run in result["measurements"]]


def median(results, row, side):
    """All times of all rounds, in seconds."""
    times = []
    for path in results.glob(f"{row}.{side}.*"):
        for result in json.loads(path.read_text())["results"]:
            times += times_of(result)
    return statistics.median(times)


def processor_time(results, row, side, faults):
    """User and system time in milliseconds, and page faults. hyperfine has the mean of each round."""
    runs = [result for path in results.glob(f"{row}.{side}.*") for result in json.loads(path.read_text())["results"]]
    times = [statistics.median(run.get(kind, 0) for run in runs) * 1000 for kind in ("user", "system")]
    return f"{times[0]:.3g} + {times[1]:.3g}, {int(faults):,}"


def read_rows(results):
    for line in (results / "rows").read_text().splitlines():
        row, series, size, input_, peer, theirs, ours, their_faults, own_faults = line.split("\t")
        yield Row(series, int(size), input_, peer,
                  {side: median(results, row, side) for side in ("peer", "own")},
                  {"peer": int(theirs), "own": int(ours)},
                  {"peer": processor_time(results, row, "peer", their_faults),
                   "own": processor_time(results, row, "own", own_faults)})


def format_time(seconds):
    return f"{seconds * 1000:.3g} ms" if seconds < 0.9995 else f"{seconds:.3g} s"


def print_table(rows):
    print("| input | peer | peer's time | time | ratio | peer's memory | memory"
          " | peer's user + system, faults | user + system, faults |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        ratio = row.seconds["peer"] / row.seconds["own"]
        memory = [f"{row.kilobytes[side] / 1024:.1f} MB" for side in ("peer", "own")]
        print(f"| {row.input} | {row.peer} | {format_time(row.seconds['peer'])}"
              f" | {format_time(row.seconds['own'])} | {ratio:.{1 if ratio < 100 else 0}f}x"
              f" | {memory[0]} | {memory[1]} | {row.processor['peer']} | {row.processor['own']} |")


# As attributes: some SVG viewers ignore style sheets.
STROKES = {"grid": 'stroke="#ddd"',
           "peer": 'fill="none" stroke="#c0392b" stroke-width="2"',
           "own": 'fill="none" stroke="#2471a3" stroke-width="2"'}


class Panel:
    """Draws one series on logarithmic axes: the peer's line and the program's."""

    WIDTH, HEIGHT = 420, 300
    LEFT, TOP, RIGHT, BOTTOM = 64, 44, 16, 48

    def __init__(self, x, series, rows):
        self.x, self.series, self.rows = x, series, rows
        seconds = [value for row in rows for value in row.seconds.values()]
        self.decades = (math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds))))
        self.sizes = (math.log(min(row.size for row in rows)), math.log(max(row.size for row in rows)))

    def place(self, size, seconds):
        first, last = self.sizes
        low, high = self.decades
        right = (math.log(size) - first) / (last - first)
        up = (math.log10(seconds) - low) / (high - low)
        return (self.x + self.LEFT + right * (self.WIDTH - self.LEFT - self.RIGHT),
                self.TOP + (1 - up) * (self.HEIGHT - self.TOP - self.BOTTOM))

    def text(self, x, y, text, anchor="middle"):
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'

    def grid(self):
        left, right = (math.exp(size) for size in self.sizes)
        for decade in range(self.decades[0], self.decades[1] + 1):
            (x1, y), (x2, _) = self.place(left, 10.0**decade), self.place(right, 10.0**decade)
            yield f'<path {STROKES["grid"]} d="M{x1:.1f} {y:.1f}H{x2:.1f}"/>'
            yield self.text(x1 - 8, y + 4, format_time(10.0**decade), "end")
        for row in self.rows:
            x, bottom = self.place(row.size, 10.0 ** self.decades[0])
            yield f'<path {STROKES["grid"]} d="M{x:.1f} {bottom:.1f}V{self.TOP}"/>'
            yield self.text(x, bottom + 18, f"{row.size:,}")
        yield self.text(self.x + (self.WIDTH + self.LEFT - self.RIGHT) / 2, self.HEIGHT - 8, self.series)

    def line(self, side, name):
        points = [self.place(row.size, row.seconds[side]) for row in self.rows]
        yield f'<polyline {STROKES[side]} points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
        for (x, y), row in zip(points, self.rows):
            yield (f'<circle {STROKES[side]} cx="{x:.1f}" cy="{y:.1f}" r="3">'
                   f"<title>{name}: {format_time(row.seconds[side])}</title></circle>")

    def draw(self):
        yield from self.grid()
        yield from self.line("peer", self.rows[0].peer)
        yield from self.line("own", "bpflink")
        for i, (side, name) in enumerate((("peer", self.rows[0].peer), ("own", "bpflink"))):
            x = self.x + self.LEFT + 90 * i
            yield f'<path {STROKES[side]} d="M{x} 24h20"/>' + self.text(x + 26, 28, name, "start")


def draw_plot(rows):
    series = list(dict.fromkeys(row.series for row in rows if row.series != "-"))
    panels = [Panel(i * Panel.WIDTH, name, [row for row in rows if row.series == name])
              for i, name in enumerate(series)]
    width = Panel.WIDTH * len(panels) + Panel.RIGHT
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {Panel.HEIGHT}"'
        f' width="{width}" height="{Panel.HEIGHT}" font-family="sans-serif" font-size="12">',
        "<title>Time of a link against its number of objects</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        *(element for panel in panels for element in panel.draw()), "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(usage="table.py RESULTS [--plot FILE.svg]")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--plot", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = list(read_rows(arguments.results))
    print_table(rows)
    if arguments.plot:
        arguments.plot.write_text(draw_plot(rows))


if __name__ == "__main__":
    main()
