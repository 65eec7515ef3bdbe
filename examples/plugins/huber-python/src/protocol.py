"""Messages into arrays and back, and the errors that end a call."""

import functools
import traceback

import grpc
import numpy

import protocol_pb2 as pb
import status_pb2

INTERNAL, USAGE, DATA, PLUGIN = range(4)  # the classes of faults


class FaultError(Exception):
    """An error for a user."""

    def __init__(self, kind, code, summary, **more):
        super().__init__(summary)
        self.fault = pb.Fault(**{'class': kind}, code=code, summary=summary, **more)


class StatusError(Exception):
    """An error for the host, not for a user: a gRPC status."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def refuse(message):
    """Ends a call whose request makes no sense."""
    raise StatusError(grpc.StatusCode.INVALID_ARGUMENT, message)


def call(work):
    """Makes errors of work(service, request, context) statuses. Any error that is not
    one of the above is a bug: its stack goes to standard error."""

    @functools.wraps(work)
    def guarded(service, request, context):
        try:
            return work(service, request, context)
        except StatusError as error:
            code, message = error.code, str(error)
        except FaultError as error:
            code, message = grpc.StatusCode.UNKNOWN, attach(context, error.fault)
        except Exception as error:  # the process goes on
            traceback.print_exc()
            bug = FaultError(
                PLUGIN, 'plugin-panic', f'the plugin stopped with an internal error: {error!r}',
                hint='this is a bug in the plugin; please report it to its author')
            code, message = grpc.StatusCode.UNKNOWN, attach(context, bug.fault)
        context.abort(code, message)

    return guarded


def attach(context, fault):
    """Puts a fault into the trailer of a call, and returns the message of its status."""
    detail = status_pb2.Detail(type_url='type.googleapis.com/sqlcluster.plugin.v1.Fault', value=fault.SerializeToString())
    status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=fault.summary, details=[detail])
    context.set_trailing_metadata((('grpc-status-details-bin', status.SerializeToString()),))
    return fault.summary


def values(matrix, k, p):
    """The k × p numbers of a matrix. One without numbers is all zeros."""
    if (matrix.rows, matrix.cols) != (k, p) or len(matrix.values) not in (0, k * p):
        refuse(f'a matrix of {matrix.rows} × {matrix.cols} with {len(matrix.values)} numbers, not of {k} × {p}')
    return numpy.array(matrix.values).reshape(k, p) if matrix.values else numpy.zeros((k, p))


def matrix(numbers):
    """The inverse of values."""
    return pb.Matrix(rows=numbers.shape[0], cols=numbers.shape[1], values=numbers.ravel())


def total(numbers):
    """The sum in the order of the numbers. (numpy.sum has an order of its own.)"""
    return float(numpy.add.accumulate(numbers)[-1]) if len(numbers) else 0.0
