#!/usr/bin/python3
"""Time sqlcluster against scikit-learn, faiss and R, and print the table of
docs/performance.md.

    bench/compare.py [--designs A,B,C,D,E20,E100,E1000,500000x8x50/20,…] [--threads 1,2]
                     [--repeats 5] [--dir DIR] [--mnist FILE] [--without-r] [--alone]

All programs get the same numbers, the same start and the same number of
threads, and run one after the other, again and again. What is timed:

  sqlcluster     seconds_seeding + seconds_iterations of NAME_run: what the
                 driver in the plugin process measured, in a process that is
                 new each time, and "repeated", the same in a process that
                 has fitted before, as scikit-learn and R are timed: of E by
                 bench/again, whose line its targets are of, and of the others
                 the tenth fit of a process by bench/second
  scikit-learn   KMeans.fit, n_init 1, tol 0, on an array that is in memory and
                 that it may overwrite; after one fit that does not count
  faiss          Kmeans.train, float32, as many iterations as scikit-learn's
                 lloyd needed; it has no test of convergence
  R              kmeans, Lloyd's algorithm in C; once only on A to D

The whole command, less its start, is compared with what it cannot do without:
bench/bare reads DuckDB's chunks and inserts the rows of the result, each in a
new process, in turns with the command; the iterations are those of its run.

A program that is not installed is left out, and the table says so. "labels"
counts the rows whose final label is not that of scikit-learn's lloyd.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import json

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

try:
    import numpy
except ImportError:
    sys.exit("compare.py needs numpy; see bench/README.md")
try:
    import sklearn
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_info, threadpool_limits
except ImportError:
    sklearn = None
try:
    import faiss
except ImportError:
    faiss = None

# A design is a letter or ROWSxCOLUMNSxK, and the number of iterations after which all
# programs stop, if any. One iteration is two passes over the rows for each of them.
DESIGNS = ("A,B,C,D,E20,E100,E1000,500000x8x50/20,2000000x4x8/20,100000x128x100/1,100000x128x100/20,"
           "50000x256x1000/1,50000x256x1000/18,100000x384x300/20")

# Must: the least ratio to the best of scikit-learn in float64 (E: to R, an iteration) on one
# thread, and to its lloyd in float32, which may err.
MUST = {"A": 11, "B": 5, "C": 4, "D": 8, "E20": 10, "E1000": 100, "500000x8x50/20": 5, "2000000x4x8/20": 3.5,
        "100000x128x100/1": 2, "100000x128x100/20": 5, "50000x256x1000/1": 2, "50000x256x1000/18": 5}
MUST32 = {"50000x256x1000/1": 1.1}
WHOLE = ("A", "10000000x20x10/10")
SPARSITY = {"E20": 10, "E100": 10, "E1000": 10}
REPEATED = "sqlcluster, repeated"
FITS = 10  # of a process, the last of which is the repeated one: by then copies have memory of earlier fits
BARE = ("read", "scan", "insert")
UNLIMITED = 1000
OLD = ("Prescott", "Core2", "Katmai", "Northwood", "Nehalem", "Generic")  # what OpenBLAS falls back to


def parts(design):
    """The data of a design, and the most iterations."""
    data, _, limit = design.partition("/")
    return data, int(limit or UNLIMITED)


class Ours:
    """The command itself, from a DuckDB file to result tables."""

    def __init__(self, binary, folder, kernel):
        self.binary, self.folder = binary, folder
        self.environment = dict(os.environ)
        if kernel:
            self.environment["SQLCLUSTER_KERNEL"] = kernel

    def call(self, *arguments):
        return subprocess.run([self.binary, *arguments], check=True, capture_output=True, text=True, env=self.environment).stdout

    def rows(self, design, table):
        return json.loads(self.call("show", "run", table, "--db", self.database(design), "-o", "json"))[table]

    def database(self, design):
        return os.path.join(self.folder, parts(design)[0] + ".duckdb")

    def arguments(self, design, k, threads, relation="rows"):
        method = ["-a", "kmeans", "--start", "start"]
        if design in SPARSITY:
            method = ["-a", "skfr", "--sparsity", str(SPARSITY[design]), "--start", "labels"]
        return ["fit", relation, "--db", self.database(design), "--id", "id", "-k", str(k), *method,
                "--scale", "none" if design in SPARSITY else "raw", "--max-iter", str(parts(design)[1]), "--threads", str(threads),
                "--into", "run", "--replace", "--quiet"]

    def fit(self, design, k, threads):
        began = time.perf_counter()
        self.call(*self.arguments(design, k, threads))
        whole = time.perf_counter() - began
        run = self.rows(design, "run")[0]
        run["whole"] = whole
        if design not in SPARSITY:
            run["bare"] = {what: float(self.bare(design, what)) for what in BARE}
        run["iterations"] = self.rows(design, "fit")[0]["iterations"]
        return run

    def repeated(self, design, k, threads, iterations):
        """Seconds of a fit in a process that has made it before."""
        if design not in SPARSITY:
            return float(subprocess.run([os.path.join(self.folder, "second"), "-dir", self.folder, "-threads", str(threads), "-fits", str(FITS), design],
                                        input="\n", check=True, capture_output=True, text=True, env=self.environment).stdout.split()[0])
        data = os.path.join(self.folder, parts(design)[0])
        answer = subprocess.run([os.path.join(self.folder, "again"), data + ".npy", data + ".labels.npy", str(k), str(SPARSITY[design])],
                                check=True, capture_output=True, text=True, env=self.environment).stdout.split()
        if int(answer[1]) != iterations:
            sys.exit(f"{design}: bench/again needs {answer[1]} iterations, and the command {iterations}")
        return float(answer[0])

    def bare(self, design, what):
        return subprocess.run([os.path.join(self.folder, "bare"), what, self.database(design)], check=True, capture_output=True, text=True).stdout

    def labels(self, design):
        text = self.call("show", "run", "assignments", "--db", self.database(design), "-o", "csv")
        return numpy.array([int(line.split(",")[1]) for line in text.splitlines()[1:]], dtype=numpy.int32)

    def start_up(self):
        """Seconds of the command on 20 rows: two processes, a database, tables."""
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "t.csv")
            with open(table, "w") as f:
                f.write("id,x\n" + "".join(f"{i},{i % 2}.{i}\n" for i in range(20)))
            began = time.perf_counter()
            self.call("fit", table, "--id", "id", "-k", "2", "--restarts", "1",
                      "--db", os.path.join(folder, "t.duckdb"), "--into", "run", "--quiet")
            return time.perf_counter() - began


    def iris(self):
        """Seconds of a fit of 150 rows of 5 columns, and of bench/bare making the same tables."""
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "iris.csv")
            with open(table, "w") as f:
                f.write("id,a,b,c,d\n" + "".join(f"{i},{5 + i % 3}.{i % 10},{3 + i % 7}.1,{1 + i % 3 * 2}.{i % 9},0.{i % 25}\n" for i in range(150)))
            times = []
            for command in ([self.binary, "fit", table, "--id", "id", "-k", "3", "--db", os.path.join(folder, "t.duckdb"), "--into", "iris", "--quiet"],
                            [os.path.join(self.folder, "bare"), "start", table]):
                began = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True, env=self.environment)
                times.append(time.perf_counter() - began)
            return times


class R:
    """One R process for all designs."""

    def __init__(self):
        self.process = subprocess.Popen(["Rscript", "--vanilla", os.path.join(HERE, "kmeans.R")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def fit(self, data, start):
        with tempfile.NamedTemporaryFile("r", suffix=".labels") as out:
            self.process.stdin.write(f"{data}\t{start}\t1\t{out.name}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().split("\t")
            if len(answer) < 2:
                raise RuntimeError("R has ended")
            return float(answer[1]), int(answer[0]), numpy.loadtxt(out.name, dtype=numpy.int32)

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


def scikit(x, start, threads, algorithm, limit, many):
    """Fits once, or often enough for the clock, and returns seconds, iterations, labels."""
    with threadpool_limits(limits=threads):
        times = 20 if many else 1
        began = time.perf_counter()
        for _ in range(times):
            fit = KMeans(len(start), init=start, n_init=1, max_iter=limit, tol=0, algorithm=algorithm, copy_x=False).fit(x)
        return (time.perf_counter() - began) / times, fit.n_iter_, fit.labels_


def with_faiss(x, start, threads, iterations):
    faiss.omp_set_num_threads(threads)
    index = faiss.Kmeans(x.shape[1], len(start), niter=iterations, nredo=1, max_points_per_centroid=len(x))
    began = time.perf_counter()
    index.train(x, init_centroids=start)
    labels = index.index.search(x, 1)[1][:, 0].astype(numpy.int32)
    return time.perf_counter() - began, iterations, labels


def measure(design, threads, repeats, ours, r, folder):
    """Runs every program in turn, repeats times; returns {program: measurements}."""
    name, limit = parts(design)
    data, start_file = os.path.join(folder, name + ".npy"), os.path.join(folder, name + ".start.npy")
    x, start = numpy.load(data), numpy.load(start_file)
    x32, start32 = x.astype(numpy.float32), start.astype(numpy.float32)
    many = x.size < 1_000_000
    found, runs = {}, []

    def note(name, seconds, iterations, labels):
        entry = found.setdefault(name, {"seconds": [], "iterations": iterations, "labels": labels})
        entry["seconds"].append(seconds)

    for turn in range(repeats + 1):  # the first does not count
        if turn == 1:
            found, runs = {}, []
        run = ours.fit(design, len(start), threads)
        runs.append(run)
        note("sqlcluster", run["seconds_seeding"] + run["seconds_iterations"], run["iterations"], None)
        if design in SPARSITY or sklearn is not None:
            note(REPEATED, ours.repeated(design, len(start), threads, run["iterations"]), run["iterations"], None)
        if sklearn is not None:
            for algorithm in ("lloyd",) if design in SPARSITY else ("lloyd", "elkan"):
                note("sklearn " + algorithm, *scikit(x, start, threads, algorithm, limit, many))
        if sklearn is not None and design not in SPARSITY:
            note("sklearn lloyd float32", *scikit(x32, start32, threads, "lloyd", limit, many))
        if faiss is not None and design not in SPARSITY and "sklearn lloyd" in found:
            note("faiss float32", *with_faiss(x32, start32, threads, int(found["sklearn lloyd"]["iterations"])))
        if r is not None and threads == 1 and limit == UNLIMITED and (turn == 1 or design in SPARSITY):  # slow where it is not the peer
            note("R Lloyd", *r.fit(data, start_file))
    found["sqlcluster"]["labels"] = ours.labels(design)
    return x, found, runs


def differing(found, name):
    """How many labels are not those of scikit-learn's lloyd."""
    reference = found.get("sklearn lloyd")
    if reference is None or found[name]["labels"] is None:
        return ""
    return int((found[name]["labels"] != reference["labels"]).sum())


def report(design, threads, x, k, found, runs):
    """Prints the lines of a design, and returns its targets and a summary of its runs. A target is its name, the ratio,
    that of a process that has fitted before or None, and the least ratio; the largest one where that is negative."""
    seconds = {name: statistics.median(entry["seconds"]) for name, entry in found.items()}
    mine = seconds["sqlcluster"]
    for name, entry in found.items():
        spread = f"{min(entry['seconds']):.4g}–{max(entry['seconds']):.4g}"
        wrong = "" if design in SPARSITY else differing(found, name)
        print(f"| {design} {len(x)}×{x.shape[1]}, k {k} | {threads} | {name} | {seconds[name]:.4g} | {spread} "
              f"| {entry['iterations']} | {seconds[name] / mine:.2f} | {wrong} |")
    must = MUST.get(design) if threads == 1 else None
    line = []
    if design in SPARSITY:
        if must and "R Lloyd" in seconds:  # they stop after different numbers of iterations
            an_iteration = {n: seconds[n] / found[n]["iterations"] for n in (REPEATED, "R Lloyd")}
            ratio = an_iteration["R Lloyd"] / an_iteration[REPEATED]
            line.append((f"{design}: against R Lloyd, an iteration", ratio, ratio, must))
    else:
        peers = {n: s for n, s in seconds.items() if n in ("sklearn lloyd", "sklearn elkan")}
        if peers and must:
            best = min(peers, key=peers.get)
            line.append((f"{design}: against {best}, {threads} thread(s)", peers[best] / mine, peers[best] / seconds[REPEATED], must))
        if "sklearn lloyd float32" in seconds:
            single = seconds["sklearn lloyd float32"]
            line.append((f"{design}: against sklearn lloyd float32, {threads} thread(s)", single / mine, single / seconds[REPEATED],
                         MUST32.get(design, 1.5)))
    whole = statistics.median(r["whole"] for r in runs)
    fit = statistics.median(r["seconds_seeding"] + r["seconds_iterations"] for r in runs)
    read = statistics.median(r["seconds_read"] for r in runs)
    summary = {"design": design, "threads": threads, "whole": whole, "fit": fit, "read": read, "mine": mine, "again": seconds.get(REPEATED)}
    if "bare" in runs[0]:
        summary["bare"] = {what: statistics.median(r["bare"][what] for r in runs) for what in BARE}
    return line, summary


def versions(ours):
    lines = [ours.call("version", "-v").strip().replace("\n", "; ")]
    lines.append("Python " + sys.version.split()[0] + ", numpy " + numpy.__version__)
    lines.append("scikit-learn " + sklearn.__version__ if sklearn else "scikit-learn is not installed")
    if sklearn:
        blas = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
        lines.append("BLAS: " + ", ".join(f"{pool['internal_api']} for {pool.get('architecture', '?')}" for pool in blas) if blas else
                     "BLAS: REFERENCE CODE: install OpenBLAS, or the ratios to scikit-learn mean nothing")
        if any(pool.get("architecture") in OLD for pool in blas):
            lines.append("OpenBLAS DOES NOT KNOW THIS PROCESSOR, and uses code for an old one: set OPENBLAS_CORETYPE (SKYLAKEX with AVX-512, "
                         "HASWELL with AVX2), or the ratios to scikit-learn mean nothing")
    lines.append("faiss " + faiss.__version__ if faiss else "faiss is not installed")
    if shutil.which("Rscript"):
        text = subprocess.run(["Rscript", "--version"], capture_output=True, text=True)
        lines.append((text.stdout + text.stderr).strip())
    else:
        lines.append("R is not installed")
    with open("/proc/cpuinfo") as f:
        model = re.search(r"model name\s*:\s*(.*)", f.read())
    lines.append(f"{model.group(1) if model else 'processor'}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} before")
    return lines


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--designs", default=DESIGNS)
    p.add_argument("--threads", default="1,2")
    p.add_argument("--repeats", type=int, default=5)
    p.add_argument("--dir", default=os.path.join(tempfile.gettempdir(), "sqlcluster-bench"), help="where the data are kept (some 4 GB)")
    p.add_argument("--mnist", default="", help="train-images-idx3-ubyte, unpacked, for design D")
    p.add_argument("--kernel", default="", help="SQLCLUSTER_KERNEL: go, avx2, avx512, avx512vnni, neon")
    p.add_argument("--without-r", action="store_true", help="leave R out, which takes minutes on A and D")
    p.add_argument("--without-faiss", action="store_true", help="leave faiss out, which takes minutes on two threads")
    p.add_argument("--alone", action="store_true", help="leave all other programs out, for the whole command")
    p.add_argument("--json", default="", help="also write all measurements to this file")
    options = p.parse_args()

    global faiss, sklearn
    if options.without_faiss or options.alone:
        faiss = None
    if options.alone:
        options.without_r, sklearn = True, None
    binary = os.path.join(options.dir, "sqlcluster")
    os.makedirs(options.dir, exist_ok=True)
    subprocess.run(["go", "build", "-o", binary, "./cmd/sqlcluster"], cwd=ROOT, check=True)
    for name in ("bare", "again", "second"):
        subprocess.run(["go", "build", "-o", os.path.join(options.dir, name), "./bench/" + name], cwd=ROOT, check=True)
    designs = options.designs.split(",")
    generate = ["go", "run", "./bench/generate", "-dir", options.dir]
    if options.mnist:
        generate += ["-mnist", os.path.abspath(options.mnist)]
    subprocess.run(generate + sorted({parts(design)[0] for design in designs}), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

    ours = Ours(binary, options.dir, options.kernel)
    for line in versions(ours):
        print("-", line)
    print("- design D is", "MNIST" if options.mnist else "a stand-in of MNIST's shape")
    print("\n| design | threads | program | seconds (median) | from–to | iterations | ratio | labels that differ |")
    print("|---|---|---|---|---|---|---|---|")
    r = R() if shutil.which("Rscript") and not options.without_r else None
    targets, wholes, everything = [], [], []
    for design in designs:
        for threads in (int(t) for t in options.threads.split(",")):
            if design in SPARSITY and threads > 1:
                continue
            x, found, runs = measure(design, threads, options.repeats, ours, r, options.dir)
            k = len(numpy.load(os.path.join(options.dir, parts(design)[0] + ".start.npy")))
            lines, whole = report(design, threads, x, k, found, runs)
            targets += lines
            wholes.append(whole)
            everything.append({"design": design, "threads": threads, "runs": runs,
                               "programs": {n: {"seconds": e["seconds"], "iterations": int(e["iterations"])} for n, e in found.items()}})
            sys.stdout.flush()
    if r is not None:
        r.close()

    start_up = statistics.median(ours.start_up() for _ in range(options.repeats))
    print("\n| whole command | threads | all − start-up, s | read, s | bare read, s | on all threads, s | iterations, s | bare insert, s "
          "| against bare read + iterations + insert | with the faster read |\n|---|---|---|---|---|---|---|---|---|---|")
    for w in wholes:
        if "bare" not in w:
            continue
        least, bare = w["whole"] - start_up, w["bare"]
        ratio = least / (bare["read"] + w["fit"] + bare["insert"])
        fastest = least / (min(bare["read"], bare["scan"]) + w["fit"] + bare["insert"])
        print(f"| {w['design']} | {w['threads']} | {least:.3f} | {w['read']:.3f} | {bare['read']:.3f} | {bare['scan']:.3f} | {w['fit']:.4g} "
              f"| {bare['insert']:.3f} | {ratio:.2f} | {fastest:.2f} |")
        if w["design"] in WHOLE and w["threads"] == 2:
            targets.append((f"{w['design']}: whole command against bare read, iterations and insert (at most)", ratio, None, -1.25))
    irises = [ours.iris() for _ in range(4 * options.repeats)]
    iris, least = (statistics.median(times) for times in zip(*irises))
    print(f"\nstart-up: {start_up:.3f} s; 150 rows of 5 columns, start to finish: {iris * 1e3:.0f} ms, "
          f"and {least * 1e3:.0f} ms for the tables alone (bench/bare start)")
    targets.append(("150 rows of 5 columns, start to finish, ms (at most)", iris * 1e3, None, -70))
    both = {(w["design"], w["threads"]): w for w in wholes}
    for design in designs:
        if design not in SPARSITY and (design, 1) in both and (design, 2) in both:
            one, two = both[design, 1], both[design, 2]
            again = one["again"] / two["again"] if one["again"] else None
            targets.append((f"{design}: 1 thread against 2", one["mine"] / two["mine"], again, 1.7))

    print("\n| target | ratio | repeated | must | |\n|---|---|---|---|---|")
    for name, ratio, again, must in targets:
        met = ratio >= must if must > 0 else ratio <= -must
        print(f"| {name} | {ratio:.2f} | {f'{again:.2f}' if again else '–'} | {abs(must)} | {'met' if met else 'missed'} |")
    print(f"\nload {os.getloadavg()[0]:.2f} after")
    if options.json:
        with open(options.json, "w") as f:
            json.dump(everything, f, indent=1)


if __name__ == "__main__":
    main()
