"""The calls of the protocol. What is not here is answered with UNIMPLEMENTED; without
Fit, the host runs the driver and calls the steps."""

import contextlib
import itertools
import threading

import grpc
import numpy

import protocol_pb2 as pb
import protocol_pb2_grpc
from huber import Huber, description
from protocol import INTERNAL, USAGE, FaultError, StatusError, call, refuse
from rows import Rows


class Session:
    def __init__(self, algorithm, rows):
        self.algorithm, self.rows = algorithm, rows
        self.closed, self.running, self.idle = False, 0, threading.Condition()

    def labels(self, labels, count):
        labels = numpy.array(labels, dtype=int)
        if len(labels) != count:
            refuse(f'{len(labels)} labels for {count} rows')
        if len(labels) and not (-1 <= labels.min() and labels.max() < self.algorithm.k):
            refuse(f'labels from {labels.min()} to {labels.max()} of {self.algorithm.k} clusters')
        return labels

    def weights(self, place, request):
        """The weights of the rows of a place, of which one may count only in part."""
        weights = self.rows.weights[place]
        if request.HasField('part'):
            row = request.part.row - place.start
            if not 0 <= row < len(weights):
                refuse(f'a part of row {request.part.row}, which is not among the rows')
            weights = weights.copy()
            weights[row] = request.part.weight
        return weights

    def stats(self, stats):
        """A copy of the statistics of a request, zeros if it has none."""
        declared = [stat.len for stat in self.algorithm.plan().stats]
        if not stats.vectors:
            return [numpy.zeros(length) for length in declared]
        if [len(vector.values) for vector in stats.vectors] != declared:
            refuse('statistics of another plan')
        return [numpy.array(vector.values) for vector in stats.vectors]


class Service(protocol_pb2_grpc.PluginServicer):
    def __init__(self, ending):
        self.ending = ending  # an event: the process is to end
        self.sessions, self.numbers = {}, itertools.count(1)

    def Watch(self, request, context):
        while context.is_active():
            yield pb.Beat()
            if self.ending.wait(max(1, request.interval_ms) / 1000):
                return

    @call
    def Describe(self, request, context):
        return pb.DescribeResponse(algorithms=[description])

    @call
    def Open(self, request, context):
        problem, data = request.problem, request.data
        if request.algorithm != description.name:
            raise FaultError(
                USAGE, 'algorithm-not-found', f'the plugin has no algorithm "{request.algorithm}"', details=[description.name])
        rows = Rows(data)
        if not problem.p == len(problem.columns) == data.cols:
            refuse(f'{data.cols} columns of data and {len(problem.columns)} of the problem for {problem.p} features')
        algorithm, number = Huber(problem, rows), next(self.numbers)
        self.sessions[number] = Session(algorithm, rows)
        return pb.OpenResponse(session=number, plan=algorithm.plan(), begin=algorithm.begin())

    @call
    def Close(self, request, context):
        session = self.sessions.pop(request.session, None)
        if session:
            with session.idle:
                session.closed = True
                session.idle.wait_for(lambda: session.running == 0)
        return pb.CloseResponse()

    @contextlib.contextmanager
    def session(self, request):
        """The session of a step. Close waits until the step has ended."""
        session = self.sessions.get(request.session)
        if not session:
            raise FaultError(INTERNAL, 'plugin-closed', 'the session has been closed')
        with session.idle:
            session.running += 1
        try:
            yield session
        finally:
            with session.idle:
                session.running -= 1
                session.idle.notify_all()

    @call
    def Assign(self, request, context):
        with self.session(request) as s:
            cells = s.rows.cells[s.rows.block(request.block)]
            s.labels(request.labels, len(cells))
            return pb.AssignResponse(labels=s.algorithm.assign(request.model, cells))

    @call
    def Collect(self, request, context):
        with self.session(request) as s:
            place = s.rows.block(request.block)
            weights, stats = s.weights(place, request), s.stats(request.stats)
            after = s.labels(request.to, len(weights))
            before = s.labels(getattr(request, 'from') or [-1] * len(weights), len(weights))
            s.algorithm.collect(weights, before, after, stats)
            return pb.CollectResponse(stats=pb.Stats(vectors=[pb.Vector(values=v) for v in stats]))

    @call
    def Update(self, request, context):
        with self.session(request) as s:

            def check():
                if s.closed or not context.is_active():
                    raise StatusError(grpc.StatusCode.CANCELLED, 'the call was cancelled')

            weights = s.weights(slice(0, len(s.rows.weights)), request)
            labels = s.labels(request.labels, len(weights))
            return s.algorithm.update(request.model, s.stats(request.stats), labels, weights, check)

    @call
    def Project(self, request, context):
        with self.session(request) as s:
            if request.target != 0 or not request.HasField('at'):
                refuse(f'projection of target {request.target}')
            return s.algorithm.project(request.model, request.at)

    @call
    def Distances(self, request, context):
        with self.session(request) as s:
            cells = s.rows.cells[s.rows.block(request.block)]
            return pb.DistancesResponse(values=s.algorithm.distances(request.model, cells).ravel())
