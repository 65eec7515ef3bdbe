// What an extension must not do to the process that it is in.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { builtInGo, dir, host, run, temporary } from './host.mjs';

const well = { status: 0, signal: null, said: '' };

test('a forked child gets errors, and never hangs', () => {
  for (let i = 0; i < 10; i++) assert.deepEqual(run(host, ['fork']), well);
});

test('the signals of a host go to its own handlers, and none comes that it did not raise', () => {
  assert.deepEqual(run(host, ['signals']), well);
});

test('handlers, limits, masks, directory and environment of a process stay', () => {
  assert.deepEqual(run(host, ['unchanged']), well);
});

test('a host that is written in Go keeps its runtime: collections, its own signals, faults and processes', () => {
  assert.deepEqual(run(builtInGo(), ['200']), { status: 7, signal: null, said: '' });
});

test('no process is started, nothing printed, and no file opened but those of the database and of the kernel', () => {
  const calls = join(dir, 'calls');
  const file = join(dir, 'traced.duckdb');
  const points = 'CREATE OR REPLACE TABLE points AS SELECT i AS id, hash(i) % 1000 AS a, hash(i + 1000000) % 1000 AS b FROM range(20000) r(i)';
  assert.equal(run(host, ['measure', file, points]).status, 0);
  for (const sql of ["FROM sqlcluster.cluster_fit(points, 'id', k := 8)", "FROM sqlcluster.cluster_tune(points, 'id', k := '2:4', draws := 2)",
    'SELECT sqlcluster.cluster_fit(p.id, p, {k: 3}) FROM points p GROUP BY id % 3']) {
    const { status, said } = run(host, ['measure', file, sql], ['strace', '-f', '-qq', '-o', calls,
      '-e', 'trace=open,openat,creat,execve,execveat,fork,vfork,clone,clone3,write,writev,pwrite64,unlink,unlinkat,rename,mkdir,mkdirat,socket,connect,kill,tkill,tgkill']);
    assert.equal(status, 0, said);
    assert.match(said, /^[0-9.]+ s, [0-9]+ MB\n$/);
    const all = readFileSync(calls, 'utf8').split('\n');
    const loaded = all.findIndex((l) => l.includes('sqlcluster.duckdb_extension", O_RDONLY|O_CLOEXEC'));
    assert.ok(loaded > 0);
    const wrong = all.slice(loaded + 1).filter((l) => l !== '' && !allowed(l, file));
    assert.deepEqual(wrong, []);
  }
  assert.deepEqual(readdirSync(temporary), []);
});

// allowed tells of a line of strace whether it is what the extension and DuckDB may do.
function allowed(line, file) {
  const call = line.replace(/^\d+ +/, '');
  if (/^(<\.\.\. |[+-]{3} )/.test(call)) return true; // the end of a call whose beginning was seen, or of a thread
  const path = /^(?:open|openat|creat|unlink|unlinkat)\(.*?"([^"]*)"/.exec(call)?.[1];
  if (path !== undefined) return path.startsWith(file) || /^\/(proc|sys)\//.test(path) && /O_RDONLY/.test(call);
  if (/^clone3?\(/.test(call)) return /CLONE_THREAD/.test(call);
  if (/^write\(1, "[0-9.]+ s, [0-9]+ MB/.test(call)) return true; // what the host prints
  const to = /^p?writev?(?:64)?\((\d+), /.exec(call)?.[1];
  return to !== undefined && Number(to) > 2; // to the database, and to wake threads
}
