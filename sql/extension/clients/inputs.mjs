// What users write and the examples of the document do not: keys of every type, NULLs as
// arguments, and a database in the way.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { failure, opened, rows } from './client.mjs';

test('a key of any type that can be one is that of the form for groups, too', async () => {
  const { db, c } = await opened();
  for (const key of ["'key ' || i", 'i', 'i::DECIMAL(9, 2)', "DATE '2024-01-01' + i::INT", "('k' || i)::ENUM('k0', 'k1', 'k2', 'k3')",
    "('b' || i)::BLOB", "[uuid(), NULL][1]", 'i::DOUBLE']) {
    await c.run(`CREATE OR REPLACE TABLE t AS SELECT ${key} AS id, i * i AS x FROM range(4) r(i)`);
    const of = (fit) => rows(c, `SELECT typeof(a), a::VARCHAR FROM (SELECT unnest((${fit}).assignments) AS a${fit === 'f' ? " FROM cluster_fit(t, 'id', k := 2) f" : ' FROM t'}) ORDER BY ALL`);
    const relation = await of('f');
    assert.equal(relation.length, 4, key);
    assert.deepEqual(relation, await of('cluster_fit(id, t, {k: 2})'), key);
    assert.equal((await rows(c, "FROM cluster(t, 'id', k := 2)")).length, 4, key);
  }
  assert.match(await failure(c, "FROM cluster_fit(t, 'id', k := 2, max_seconds := -1)"), /max_seconds is -1/);
  db.closeSync();
});

test('an algorithm that is NULL is an error, not the end of the program', async () => {
  const { db, c } = await opened();
  assert.match(await failure(c, 'FROM cluster_params(NULL)'), /algorithm/);
  db.closeSync();
});

test('a database that has the name of the catalogue is an error that says what to do', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sqlcluster-inputs-'));
  await assert.rejects(opened(join(dir, 'sqlcluster.duckdb')), /need the name sqlcluster[\s\S]*ATTACH 'FILE' AS NAME/);
  rmSync(dir, { recursive: true });
});
