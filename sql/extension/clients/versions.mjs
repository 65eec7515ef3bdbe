// One file serves several versions of DuckDB, with the same bits. A process has one of them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { opened, rows } from './client.mjs';

const root = new URL('../../..', import.meta.url).pathname;

// Those of a filter come as dictionaries, which each version hands over in its own way.
const fits = ["SELECT md5(model) FROM cluster_fit(wines, 'id', exclude := ['class'], k := 3)",
  "WITH q AS (FROM wines WHERE id % 3 = 1) SELECT md5(model) FROM cluster_fit(q, 'id', exclude := ['class'], k := 3)",
  "SELECT md5((cluster_fit(w.id, w, {k: 2, exclude: ['class']})).model) FROM wines w GROUP BY class ORDER BY class"];

if (process.argv[2]) { // the child
  const { DuckDBInstance } = await import(process.argv[2]);
  const { c } = await opened(':memory:', DuckDBInstance);
  await c.run(`CREATE TABLE wines AS FROM '${root}examples/wine.csv'`);
  const got = [await rows(c, 'SELECT version()')];
  for (const f of fits) got.push(await rows(c, f));
  console.log(JSON.stringify(got));
} else {
  test('older versions of DuckDB give the same bits', () => {
    const [now, ...older] = ['@duckdb/node-api', '@duckdb/node-api-old', '@duckdb/node-api-oldest'].map((client) => {
      const { stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, client], { encoding: 'utf8', cwd: import.meta.dirname });
      assert.notEqual(stdout, '', stderr);
      return JSON.parse(stdout);
    });
    for (const old of older) {
      assert.notDeepEqual(now[0], old[0]);
      assert.deepEqual(now.slice(1), old.slice(1));
    }
  });
}
