// The services and messages that travel, from their .proto texts.
import { status, Metadata } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import controllerText from './controller.proto';
import statusText from './status.proto';
import protocolText from '../protocol.proto';

const root = new protobuf.Root();
for (const text of [protocolText, controllerText, statusText]) {
  protobuf.parse(text, root);
}
root.resolveAll();

// 64-bit numbers are read as doubles: none of those used here is above 2^53. Lists
// are never absent; messages may be (null).
const services = fromJSON(root.toJSON(), { longs: Number, defaults: true, arrays: true });

export const pluginService = services['sqlcluster.plugin.v1.Plugin'];
export const controllerService = services['plugin.GRPCController'];

const Fault = root.lookupType('sqlcluster.plugin.v1.Fault');
const Status = root.lookupType('google.rpc.Status');

// The classes of faults.
export const classes = { internal: 0, usage: 1, data: 2, plugin: 3 };

// A FaultError is an error for a user.
export class FaultError extends Error {
  constructor(fault) {
    super(fault.summary);
    this.fault = fault;
  }
}

// A Refusal is an error for the host, not for a user: a gRPC status.
export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

// statusOf returns the gRPC status of an error. A fault travels in the trailer
// grpc-status-details-bin. Any other error is a bug: its stack goes to standard
// error.
export function statusOf(error) {
  if (error instanceof Refusal) {
    return { code: error.code, details: error.message };
  }
  let fault = error.fault;
  if (!(error instanceof FaultError)) {
    console.error(`internal error: ${error?.stack ?? error}\n`);
    fault = {
      class: classes.plugin, code: 'plugin-panic', summary: `the plugin stopped with an internal error: ${error?.message ?? error}`,
      hint: 'this is a bug in the plugin; please report it to its author',
    };
  }
  const value = Fault.encode(Fault.fromObject(fault)).finish();
  const details = [{ typeUrl: 'type.googleapis.com/sqlcluster.plugin.v1.Fault', value }];
  const metadata = new Metadata();
  const message = Status.fromObject({ code: status.UNKNOWN, message: fault.summary, details });
  metadata.set('grpc-status-details-bin', Buffer.from(Status.encode(message).finish()));
  return { code: status.UNKNOWN, details: fault.summary, metadata };
}

// refuse throws a Refusal of a message that makes no sense.
export function refuse(message) {
  throw new Refusal(status.INVALID_ARGUMENT, message);
}

// matrixValues returns the numbers of a matrix on the wire: k × p, row-major. A
// matrix without numbers is all zeros.
export function matrixValues(matrix, k, p) {
  if (!matrix || matrix.rows !== k || matrix.cols !== p || (matrix.values.length !== 0 && matrix.values.length !== k * p)) {
    refuse(`a matrix of ${matrix?.rows} × ${matrix?.cols} with ${matrix?.values.length} numbers, not of ${k} × ${p}`);
  }
  return matrix.values.length > 0 ? matrix.values : new Array(k * p).fill(0);
}

// wireMatrix is the inverse of matrixValues.
export function wireMatrix(values, rows, cols) {
  return { rows, cols, values: Array.from(values) };
}
