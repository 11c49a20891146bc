"""Gives every option that names an output what must not be written: inputs under any name,
directories, links of others, full devices; and runs every program without standard descriptors.

    every_output.py BPFLINK BTFDEDUP BPFSKEL BPFCORE

The working directory holds a.o, b.o and k.btf. Whatever happens, inputs and links stay as they were; a
run that fails says why, exits with 1 and leaves no file behind that was not there.
"""
import os
import re
import shutil
import subprocess
import sys

BPFLINK, BTFDEDUP, BPFSKEL, BPFCORE = sys.argv[1:]
INPUTS = {"a.o": "a.o", "b.o": "b.o", "k.btf": "k.btf"}

OF_LINKS = ("--Map", "--dependency-file", "--json", "--size-map", "--reproduce")
# By program, each option that names an output, and the command for it. {} is the output.
OUTPUTS = {
    BPFLINK: {
        "--output": "a.o b.o -o {}",
        **{option: f"a.o b.o -o out {option} {{}}" for option in OF_LINKS},
    },
    BTFDEDUP: {
        "--output": "a.o b.o -o {}",
        "--size-map": "a.o b.o -o out --size-map {}",
    },
    BPFSKEL: {
        "--output": "a.o b.o -o {}",
        **{option: f"a.o b.o -o out {option} {{}}" for option in OF_LINKS},
    },
    BPFCORE: {
        "--html": "check a.o k.btf --html {}",
        "--json": "check a.o k.btf --json {}",
        "--output": "minimize a.o k.btf -o {}",
        "--archive": "minimize a.o k.btf --archive {}",
    },
}
# The options whose operand is read, or replaced on purpose, or a directory to put files into.
READ = {"--library-path", "--prefix-symbols-of", "--update", "--base", "--linked",
        "--kernel", "--lto-library", "--export-symbols", "--modules", "--btf", "--against",
        "--cache", "--lto-cache", "--log", "--manifest", "--config", "--types-of"}


def snapshot():
    """Each path below the directory with its contents, or where it leads to."""
    found = {}
    for folder, folders, files in os.walk("."):
        for name in folders + files:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                found[path] = "to " + os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    found[path] = file.read()
            else:
                found[path] = "folder"
    return found


def mistake(command, text):
    sys.exit(f"{' '.join(command)}: {text}")


def run(command, **streams):
    return subprocess.run(command, text=True, errors="replace", timeout=60,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams})


def refuse(command):
    """It fails and changes nothing."""
    before = snapshot()
    result = run(command)
    after = snapshot()
    status = 2 if command[:2] == [BPFCORE, "check"] else 1
    if result.returncode != status or "error: " not in result.stderr:
        mistake(command, f"exit status {result.returncode}: {result.stderr}")
    if before != after:
        mistake(command, f"has changed {[p for p in before | after if before.get(p) != after.get(p)]}")


def traps(option):
    """Names that no output may have, each with what makes them."""
    yield "a.o", lambda: None
    yield "./k.btf" if "k.btf" in option else "./a.o", lambda: None
    yield "soft", lambda: os.symlink("a.o", "soft")
    yield "chain", lambda: (os.symlink("a.o", "soft"), os.symlink("soft", "chain"))
    yield "hard", lambda: os.link("a.o", "hard")
    yield "none/out.x", lambda: None
    yield "a.o/out.x", lambda: None
    yield "sticky/theirs", make_link_of_another
    yield "", lambda: None
    yield "x" * 300, lambda: None
    if "-o {}" not in option or "minimize" not in option:
        yield "folder", lambda: os.mkdir("folder")
        yield "/dev/full", lambda: None


def make_link_of_another():
    os.mkdir("sticky")
    os.chmod("sticky", 0o1777)
    with open("victim", "w", encoding="ascii") as file:
        file.write("victim\n")
    os.symlink(os.path.abspath("victim"), "sticky/theirs")
    if os.geteuid() == 0:
        os.lchown("sticky/theirs", 65534, 65534)


def fresh(start):
    """Makes the working directory anew."""
    os.chdir(start)
    shutil.rmtree("work", ignore_errors=True)
    os.mkdir("work")
    for name in INPUTS:
        shutil.copy(name, "work/" + name)
    os.chdir("work")
    with open("out", "w", encoding="ascii") as file:
        file.write("old\n")


def check_options(program, known):
    """No option that takes a file is missing here."""
    text = run([program, "--help"]).stdout
    options = {o for o in re.findall(r"(--[\w-]+)[ =](?:FILE|DIR)", text)}
    if unknown := options - READ - known.keys():
        sys.exit(f"{program}: is {sorted(unknown)} an output?")
    if missing := known.keys() - options:
        sys.exit(f"{program}: --help does not name {sorted(missing)}")


def without_times(files):
    return {path: re.sub(rb'("seconds": )[-+.e\d]+', rb"\1", text) if isinstance(text, bytes) else text
            for path, text in files.items()}


def check_descriptors(start, program, pattern):
    """With some of the standard descriptors closed, outputs are as with all, or the old ones."""
    command = [program, *pattern.format("made").split()]
    fresh(start)
    status, good = run(command).returncode, snapshot()
    for closed in range(1, 8):
        fresh(start)
        old = snapshot()
        shell = "exec \"$@\"" + "".join(f" {fd}>&-" for fd in range(3) if closed >> fd & 1)
        result = run(["bash", "-c", shell, "bash", *command])
        new, wanted = snapshot(), good if result.returncode == status else old
        new, wanted = without_times(new), without_times(wanted)
        if new != wanted:
            mistake(command, f"without descriptors {closed:03b}: exit status {result.returncode}, "
                             f"{[p for p in new | wanted if new.get(p) != wanted.get(p)]} differ")


def main():
    start, count = os.getcwd(), 0
    is_protected = os.geteuid() == 0
    for program, known in OUTPUTS.items():
        check_options(program, known)
        for pattern in known.values():
            for name, make in traps(pattern):
                if name == "sticky/theirs" and not is_protected:
                    continue
                fresh(start)
                make()
                refuse([program, *[name if a == "{}" else a for a in pattern.split()]])
                count += 1
            check_descriptors(start, program, pattern)
    print(f"{count} outputs refused")


main()
