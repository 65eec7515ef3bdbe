"""Reads a case of highs_campaign_test.go, and prints the least cost, or "infeasible".

The linear program has a variable for each row and cluster. It is a flow, so that a vertex has
whole numbers: the cost is added up anew for the labels that they are.
"""
import math
import sys

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, vstack

data = sys.stdin.buffer.read()
n, k, most = (int(v) for v in np.frombuffer(data, "<i8", 3))
bounds = np.frombuffer(data, "<i8", 2 * k, 24).reshape(k, 2)
codes = np.frombuffer(data, "<i4", n, 24 + 16 * k)
costs = np.frombuffer(data, "<f8", n * k, 24 + 16 * k + 4 * n).reshape(n, k)

row, cluster = np.divmod(np.arange(n * k), k)
one_each = coo_matrix((np.ones(n * k), (row, np.arange(n * k))))
sizes = coo_matrix((np.ones(n * k), (cluster, np.arange(n * k))), shape=(k, n * k))
lines, right = [sizes, -sizes], [bounds[:, 1], -bounds[:, 0]]
counted = codes[row] >= 0
if counted.any():
    places = (codes[row] * k + cluster)[counted]
    count = coo_matrix((np.ones(len(places)), (places, np.arange(n * k)[counted])), shape=(int(codes.max() + 1) * k, n * k))
    lines, right = lines + [count], right + [np.full(count.shape[0], most)]


# A constant of each row changes no optimum, and spares the solver its tolerance.
least = costs.min(axis=1, keepdims=True)
result = linprog((costs - least).ravel(), A_ub=vstack(lines), b_ub=np.concatenate(right), A_eq=one_each, b_eq=np.ones(n),
                 bounds=(0, 1), method="highs-ds", options={"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9})
if result.status == 2:
    print("infeasible")
else:
    assert result.status == 0, result.message
    x = result.x.reshape(n, k)
    assert np.abs(x - x.round()).max() < 1e-6
    print(repr(math.fsum(costs[np.arange(n), x.argmax(axis=1)])))
