// What a host does to an extension: many connections, statements that are cancelled,
// databases that are closed, and processes that end, in the middle of fits.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { failure, opened, rows } from './client.mjs';
import { dir, host, run } from './host.mjs';

const points = `CREATE TABLE IF NOT EXISTS points AS SELECT i AS id, hash(i) % 1000 AS a, hash(i + 1000000) % 1000 AS b,
  hash(i + 2000000) % 1000 AS c, hash(i + 3000000) % 1000 AS d, i % 7 AS g FROM range(20000) r(i)`;
const long = "SELECT objective FROM cluster_fit(points, 'id', exclude := ['g'], k := 50, restarts := 100000)";

// cancelled runs a statement, cancels it after so many milliseconds, and returns how many
// more it took. DuckDB forgets an interrupt that comes before a statement has begun.
async function cancelled(c, sql, after) {
  const ended = failure(c, sql);
  await new Promise((resolve) => setTimeout(resolve, after));
  const from = performance.now();
  const again = setInterval(() => c.interrupt(), 100);
  c.interrupt();
  assert.match(await ended, /INTERRUPT/i);
  clearInterval(again);
  return performance.now() - from;
}

test('200 fits in 4 connections at a time have the bits of one alone', async () => {
  const { db, c } = await opened();
  await c.run(points);
  const fits = [2, 3, 4, 5, 6].flatMap((k) => [
    `SELECT model, objective FROM cluster_fit(points, 'id', k := ${k}, restarts := 1)`,
    `SELECT md5(list(f.model ORDER BY g)::VARCHAR) FROM (SELECT g, cluster_fit(p.id, p, {k: ${k}, restarts: 1}) AS f FROM points p GROUP BY g)`,
  ]);
  const alone = [];
  for (const f of fits) alone.push(await rows(c, f));
  await Promise.all([0, 1, 2, 3].map(async (worker) => {
    const own = await db.connect();
    await own.run("SET search_path = 'memory.main,sqlcluster.main'");
    for (let i = 0; i < 50; i++) {
      const at = (i + 3 * worker) % fits.length;
      assert.deepEqual(await rows(own, fits[at]), alone[at]);
    }
    own.closeSync();
  }));
  db.closeSync();
});

test('50 statements that are cancelled end within 2 s, and the connection goes on', async () => {
  const { db, c } = await opened();
  await c.run(points);
  let slowest = 0;
  for (let i = 0; i < 50; i++) {
    slowest = Math.max(slowest, await cancelled(c, long, (i * 37) % 300));
  }
  assert.ok(slowest < 2000, `${slowest} ms`);
  const [[n]] = await rows(c, "SELECT n FROM cluster_fit(points, 'id', k := 2, restarts := 1)");
  assert.equal(n, 20000n);
  assert.match(await failure(c, 'SELECT (cluster_fit(p.id, p, {k: 50, restarts: 100000, max_seconds: 1})).n FROM points p'), /longer than 1 second/);
  const [begun, used] = [performance.now(), process.cpuUsage()]; // no fit goes on
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const cpu = process.cpuUsage(used);
  assert.ok((cpu.user + cpu.system) / 1000 < 0.5 * (performance.now() - begun), `${cpu.user + cpu.system} µs`);
  db.closeSync();
});

test('a file is free as soon as its database is closed, and can be opened and loaded again', async () => {
  const file = join(dir, 'closed.duckdb');
  for (let i = 0; i < 4; i++) {
    const { db, c } = await opened(file);
    await c.run(points);
    const [[n]] = await rows(c, "SELECT n FROM cluster_fit(points, 'id', k := 2, restarts := 1)");
    assert.equal(n, 20000n);
    if (i % 2) await cancelled(c, long, 50);
    c.closeSync();
    db.closeSync();
    const other = spawnSync(process.execPath, ['-e', `import('@duckdb/node-api').then(({ DuckDBInstance: d }) => d.create('${file}')).then(() => console.log('free'))`],
      { cwd: import.meta.dirname, encoding: 'utf8' });
    assert.equal(other.stdout, 'free\n', other.stderr);
  }
});

test('a database that is closed leaves no memory', async () => {
  const some = async () => {
    for (let i = 0; i < 20; i++) {
      const { db, c } = await opened();
      await c.run('SELECT count(*) FROM cluster_algorithms()');
      c.closeSync();
      db.closeSync();
    }
    return process.memoryUsage().rss / 1e6;
  };
  await some(); // what stays for the next ones
  const [before] = [await some(), await some()];
  const grown = (await some()) - before;
  assert.ok(grown < 50, `${grown} MB by 40 databases`); // a database of DuckDB in memory takes 2.5 MB
});

// Node.js itself waits for statements when it exits, so the program is one in C.
test('50 processes that exit while they fit exit as they want to, and leave no lock', () => {
  for (let i = 0; i < 50; i++) {
    assert.deepEqual(run(host, ['exit', join(dir, `exit${i % 5}.duckdb`), String((i * 29) % 200)]), { status: 7, signal: null, said: '' });
  }
});
