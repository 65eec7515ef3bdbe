#!/usr/bin/python3
"""Time sqlcluster against scikit-learn's sparse k-means on made-up documents, and print
the table of docs/performance.md.

    bench/sparse.py [--rows 20000] [--columns 10000] [--entries 50] [-k 20]
                    [--iterations 1,10,50] [--threads 1] [--repeats 3] [--dir DIR]

Both get the same triples and the same start, one after the other, again and again. Of
sqlcluster, seconds_iterations of NAME_run are taken, from a plugin process that is new
each time; of scikit-learn KMeans.fit (Lloyd, n_init 1, tol 0) on a CSR matrix in memory,
after one fit that does not count. "labels" counts the rows whose labels differ.
"""

import argparse
import csv
import io
import json
import os
import statistics
import subprocess
import tempfile
import time
import warnings

import numpy
import scipy.sparse
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

HERE = os.path.dirname(os.path.abspath(__file__))


def documents(n, p, entries, k):
    """Rows of counts: half of the entries of a row are of its topic."""
    rng = numpy.random.default_rng(1)
    topic = rng.integers(0, k, n)
    column = (p * rng.random((n, entries)) * rng.random((n, entries))).astype(int)
    own = rng.random((n, entries)) < 0.5
    column = numpy.where(own, (p // k * rng.random((n, entries))).astype(int) * k + topic[:, None], column)
    values = 1 + rng.integers(0, 3, n * entries).astype(float)
    x = scipy.sparse.csr_matrix((values, (numpy.repeat(numpy.arange(n), entries), column.ravel())), shape=(n, p))
    x.sum_duplicates()
    x.sort_indices()
    return x


class Ours:
    """The command, on a DuckDB file that is made from CSV."""

    def __init__(self, folder, x, start):
        self.binary = os.path.join(folder, "sqlcluster")
        self.database = os.path.join(folder, "sparse.duckdb")
        subprocess.run(["go", "build", "-o", self.binary, "./cmd/sqlcluster"], check=True, cwd=os.path.dirname(HERE))
        if os.path.exists(self.database):
            os.remove(self.database)
        coo = x.tocoo()
        self.load(folder, "rows", ["doc", "term", "n"], zip(coo.row, coo.col, coo.data))
        rows, columns = numpy.nonzero(numpy.ones(start.shape))
        self.load(folder, "start", ["cluster", "feature", "center"], zip(rows, columns, start.ravel()))

    def load(self, folder, table, names, rows):
        path = os.path.join(folder, table + ".csv")
        with open(path, "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(names)
            out.writerows(rows)
        subprocess.run([self.binary, "sql", "--db", self.database, "-c", f"CREATE TABLE {table} AS FROM '{path}'"], check=True, capture_output=True)
        os.remove(path)

    def fit(self, k, iterations, threads):
        subprocess.run([self.binary, "fit", "rows", "--db", self.database, "--long", "doc,term,n", "--scale", "raw", "-k", str(k),
                        "--start", "start", "--max-iter", str(iterations), "--empty", "origin", "--threads", str(threads),
                        "--into", "f", "--replace", "--quiet"], check=True, capture_output=True)
        run = json.loads(self.text("show", "f", "run", "--db", self.database, "-o", "json"))["run"]
        run = run[0] if isinstance(run, list) else run
        return run["seconds_iterations"]

    def labels(self):
        rows = csv.reader(io.StringIO(self.text("sql", "--db", self.database, "-o", "csv", "-c", "SELECT cluster FROM f_assignments ORDER BY doc")))
        next(rows)
        return numpy.array([int(r[0]) for r in rows])

    def text(self, *arguments):
        return subprocess.run([self.binary, *arguments], check=True, capture_output=True, text=True).stdout


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in [("rows", 20000), ("columns", 10000), ("entries", 50), ("k", 20), ("threads", 1), ("repeats", 3)]:
        p.add_argument("-k" if name == "k" else "--" + name, type=int, default=value)
    p.add_argument("--iterations", default="1,10,50")
    p.add_argument("--dir", default=os.path.join(tempfile.gettempdir(), "sqlcluster-bench"))
    o = p.parse_args()
    os.makedirs(o.dir, exist_ok=True)
    warnings.simplefilter("ignore")  # that it has not converged

    x = documents(o.rows, o.columns, o.entries, o.k)
    start = numpy.asarray(x[numpy.arange(o.k) * o.rows // o.k].todense())
    ours = Ours(o.dir, x, start)
    print(f"{o.rows} × {o.columns}, {x.nnz} entries, k {o.k}, {o.threads} threads, load {os.getloadavg()[0]:.1f} before\n")
    print("| iterations | sqlcluster, s | from–to | scikit-learn, s | from–to | ratio | labels that differ |\n|---|---|---|---|---|---|---|")
    for iterations in [int(i) for i in o.iterations.split(",")]:
        took, theirs = [], []
        with threadpool_limits(o.threads):
            for repeat in range(o.repeats + 1):
                took.append(ours.fit(o.k, iterations, o.threads))
                data, began = x.copy(), time.perf_counter()
                fitted = KMeans(o.k, init=start, n_init=1, max_iter=iterations, tol=0, algorithm="lloyd", copy_x=False).fit(data)
                theirs.append(time.perf_counter() - began)
        took, theirs = took[1:], theirs[1:]
        a, b = statistics.median(took), statistics.median(theirs)
        print(f"| {iterations} | {a:.4g} | {min(took):.4g}–{max(took):.4g} | {b:.4g} | {min(theirs):.4g}–{max(theirs):.4g} | {b / a:.2f} "
              f"| {int((ours.labels() != fitted.labels_).sum())} |", flush=True)


main()
