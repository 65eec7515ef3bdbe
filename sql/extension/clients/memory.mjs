// What is read is in memory, as far as DuckDB's own limit allows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure, opened, rows } from './client.mjs';

test('rows that need more than memory_limit are an error with the size, and the session goes on', async () => {
  const { db, c } = await opened();
  const columns = [...Array(40).keys()].map((j) => `(i * ${j + 1} % 97)::DOUBLE AS x${j}`).join(', ');
  await c.run(`CREATE VIEW wide AS SELECT i AS id, ${columns} FROM range(200000) r(i)`); // 64 MB
  await c.run("SET memory_limit = '50 MB'");
  for (const sql of ["FROM cluster_fit(wide, 'id', k := 3)", 'SELECT cluster_fit(w.id, w, {k: 3}) FROM wide w']) {
    assert.match(await failure(c, sql), /^Invalid Input Error: the rows need more than 50 MB of memory\nhint: allow more: SET memory_limit = '\d+ MB'/);
  }
  await c.run("SET memory_limit = '2 GB'");
  assert.deepEqual(await rows(c, "SELECT n FROM cluster_fit(wide, 'id', k := 3, restarts := 1)"), [[200000n]]);
  c.closeSync(), db.closeSync();
});
