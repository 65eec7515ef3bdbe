"""k-means with Huber's loss, so that outliers cannot pull a center far: the square of
the difference for cells near the center, and a multiple of the absolute difference for
those farther away than delta. It is between k-means (a large delta) and k-medians (a
small one). A missing cell (NaN) is left out of every sum.

Source: Huber (1964), Robust estimation of a location parameter.
"""

import numpy

import protocol_pb2 as pb
from protocol import matrix, refuse, total, values

description = pb.Description(
    name='huber',
    version='1.0.0',
    summary="k-means with Huber's loss: outliers do not pull centers far (in Python)",
    paper='Huber (1964), Robust estimation of a location parameter, Annals of Mathematical Statistics 35, '
    'https://doi.org/10.1214/aoms/1177703732',
    params=[pb.Param(
        name='delta', type='real', default_text='1.345', min=1e-3, max=1e3,
        doc='cells farther from the center, in scaled units, count by their distance, not by its square',
    )],
    missing=True, empty='reseed', scale='robust', center='median', trims=True,
)


class Huber:
    def __init__(self, problem, rows):
        self.k, self.p, self.rows = problem.k, problem.p, rows
        self.delta = problem.params['delta'].real
        if not self.delta > 0:
            refuse(f'the parameter delta is {self.delta}')

    def plan(self):
        """One statistic, the weight of each cluster. The rest does not add up, so update
        reads the rows."""
        return pb.Plan(stats=[pb.Stat(name='mass', len=self.k)], cadence=[1, 0], monotone=True, needs_rows=True)

    def begin(self):
        return pb.Model(centers=matrix(numpy.zeros((self.k, self.p))))

    def loss(self, differences):
        far = numpy.abs(differences)
        near = numpy.minimum(far, self.delta)
        return numpy.where(numpy.isnan(far), 0, near * (far - near / 2))

    def distances(self, model, cells):
        """Rows × k distances. Features are added up one after the other, so that a
        distance does not depend on how many rows there are."""
        centers = values(model.centers, self.k, self.p)
        sums = numpy.zeros((len(cells), self.k))
        for l in range(self.p):
            sums += self.loss(cells[:, l, None] - centers[None, :, l])
        return sums

    def assign(self, model, cells):
        return self.distances(model, cells).argmin(axis=1)  # of equals, the first

    def collect(self, weights, before, after, stats):
        """Adds statistics(after) − statistics(before). −1 means no cluster."""
        moved = before != after
        for labels, sign in ((before, -1), (after, 1)):
            rows = moved & (labels >= 0)
            numpy.add.at(stats[0], labels[rows], sign * weights[rows])

    def update(self, model, stats, labels, weights, check):
        """The objective of model and labels, and the best centers for the labels. It
        may take long, so it calls check, which raises if the call is cancelled."""
        objective = 0.0
        for first, cells in self.rows.blocks():
            check()
            own = labels[first:first + len(cells)]
            some = own >= 0
            near = self.distances(model, cells[some])[numpy.arange(some.sum()), own[some]]
            objective += total(weights[first:first + len(cells)][some] * near)
        centers = numpy.zeros((self.k, self.p))
        for j in range(self.k):
            members = (labels == j) & (weights > 0)
            for l in range(self.p):
                check()
                centers[j, l] = self.middle(self.rows.cells[members, l], weights[members])
        mass = pb.Vector(values=stats[0])
        return pb.UpdateResponse(objective=objective, mass=mass, centers=pb.Point(x=matrix(centers), row_mass=mass))

    def middle(self, x, weights):
        """The number with the least weighted loss to all of x; 0 if there are none. The
        slope of the loss is linear between neighbouring corners x ± delta: the two where
        it changes its sign are found by bisection."""
        order = numpy.argsort(x, kind='stable')  # NaN is last
        order = order[:numpy.count_nonzero(~numpy.isnan(x))]
        if order.size == 0:
            return 0.0
        x, weights = x[order], weights[order]
        corners = numpy.unique(numpy.concatenate([x - self.delta, x + self.delta]))

        def pull(c):  # exactly 0 between two halves of whole weights
            return total(weights * numpy.maximum(-1, numpy.minimum(1, (x - c) / self.delta)))

        low, high = 0, len(corners) - 1
        while high - low > 1:
            between = (low + high) // 2
            if pull(corners[between]) > 0:
                low = between
            else:
                high = between
        # Where the least loss is that of a whole interval, its middle is taken.
        for left, right in zip(corners[max(low - 1, 0):high + 1], corners[max(low, 1):high + 2]):
            if pull(left / 2 + right / 2) == 0:
                return left / 2 + right / 2 + 0.0
        low, high = corners[low], corners[high]
        left, right = pull(low), pull(high)
        best = low + (high - low) * left / (left - right) if left > right else low
        # Where delta is lost to rounding, as beside 1e20, the slope jumps at a corner.
        return min((best, low, high), key=lambda c: total(weights * self.loss(x - c))) + 0.0

    def project(self, model, at):
        """Writes the point into the model: the centers are not restricted."""
        model.centers.CopyFrom(matrix(values(at.x, self.k, self.p)))
        model.round += 1
        return pb.ProjectResponse(model=model)
