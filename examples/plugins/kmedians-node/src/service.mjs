// The calls of the protocol. One thread serves them all, so a long call pauses now
// and then, for the host to see beats and be able to cancel it.
import { setImmediate } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { description, KMedians } from './kmedians.mjs';
import { classes, FaultError, Refusal, refuse, statusOf } from './protocol.mjs';
import { Rows } from './rows.mjs';
import { description as whole, setCalls } from './whole.mjs';

const sessions = new Map();
let lastSession = 0;

// streams are the streams of beats that are open; they end with the process.
export const streams = new Set();

// unary turns a function of the request into a call; its errors become statuses.
export function unary(work) {
  return (call, done) => {
    Promise.resolve()
      .then(() => work(call.request, call))
      .then((response) => done(null, response), (error) => done(statusOf(error)));
  };
}

// step turns a function of a session and the request into a call. Close waits for
// it. The last argument of the function is called to pause.
function step(work) {
  return unary(async (request, call) => {
    const session = sessions.get(request.session);
    if (!session) {
      throw new FaultError({ class: classes.internal, code: 'plugin-closed', summary: 'the session has been closed' });
    }
    const pause = async () => {
      await setImmediate();
      if (call.cancelled || session.closed) {
        throw new Refusal(status.CANCELLED, 'the call was cancelled');
      }
    };
    const running = Promise.resolve().then(() => work(session, request, pause));
    const ended = running.then(() => {}, () => {});
    session.calls.add(ended);
    try {
      return await running;
    } finally {
      session.calls.delete(ended);
    }
  });
}

function blockOf(session, number) {
  if (number < 0 || number >= session.rows.blocks) {
    refuse(`block ${number} of ${session.rows.blocks}`);
  }
  return session.rows.block(number);
}

function checkLabels(session, labels, count) {
  if (labels.length !== count) {
    refuse(`${labels.length} labels for ${count} rows`);
  }
  for (const j of labels) {
    if (j < -1 || j >= session.algorithm.k) {
      refuse(`label ${j} of ${session.algorithm.k} clusters`);
    }
  }
}

// statsOf returns a copy of the statistics of a request, zeros if it has none.
function statsOf(session, stats) {
  const declared = session.algorithm.plan().stats;
  const vectors = stats?.vectors ?? [];
  if (vectors.length === 0) {
    return declared.map(({ len }) => new Array(len).fill(0));
  }
  if (vectors.length !== declared.length || vectors.some((v, i) => v.values.length !== declared[i].len)) {
    refuse('statistics of another plan');
  }
  return vectors.map(({ values }) => values);
}

function open({ algorithm, problem, data }) {
  if (algorithm !== description.name) {
    throw new FaultError({
      class: classes.usage, code: 'algorithm-not-found', summary: `the plugin has no algorithm "${algorithm}"`, details: [description.name],
    });
  }
  const rows = new Rows(data ?? refuse('no data'));
  try {
    if (problem.p !== rows.cols || problem.columns.length !== rows.cols) {
      refuse(`${rows.cols} columns of data and ${problem.columns.length} of the problem for ${problem.p} features`);
    }
    const made = new KMedians(problem, rows);
    sessions.set(++lastSession, { algorithm: made, rows, calls: new Set(), closed: false });
    return { session: lastSession, plan: made.plan(), begin: made.begin() };
  } catch (error) {
    rows.close();
    throw error;
  }
}

async function close({ session: number }) {
  const session = sessions.get(number);
  sessions.delete(number);
  if (session) {
    session.closed = true;
    await Promise.all(session.calls);
    session.rows.close();
  }
  return {};
}

function watch(call) {
  call.write({});
  const timer = setInterval(() => call.write({}), Math.max(1, call.request.intervalMs));
  streams.add(call);
  const over = () => {
    clearInterval(timer);
    streams.delete(call);
  };
  call.on('cancelled', over).on('close', over).on('error', over);
}

// For calls that are not here, gRPC answers that they are not served. Without Fit,
// the host runs the driver and calls the steps.
export const calls = {
  Watch: watch,
  Describe: unary(() => ({ algorithms: [description], sets: [whole] })),
  Open: unary(open),
  Close: unary(close),
  Assign: step((session, { model, block, labels }) => {
    const rows = blockOf(session, block);
    checkLabels(session, labels, rows.count);
    return { labels: session.algorithm.assign(model, rows) };
  }),
  Collect: step((session, { block, from, to, stats }) => {
    const rows = blockOf(session, block);
    checkLabels(session, to, rows.count);
    checkLabels(session, from, from.length === 0 ? 0 : rows.count);
    const sums = statsOf(session, stats);
    session.algorithm.collect(rows, from, to, sums);
    return { stats: { vectors: sums.map((values) => ({ values })) } };
  }),
  Update: step((session, { model, stats, labels }, pause) => {
    checkLabels(session, labels, session.rows.rows);
    return session.algorithm.update(model, statsOf(session, stats), labels, pause);
  }),
  Project: step((session, { model, target, at }) => {
    if (target !== 0 || !at) {
      refuse(`projection of target ${target}`);
    }
    return session.algorithm.project(model, at);
  }),
  Distances: step((session, { model, block }) => ({ values: session.algorithm.distances(model, blockOf(session, block)) })),
  ...Object.fromEntries(Object.entries(setCalls).map(([name, work]) => [name, unary(work)])),
};
