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

test('an option that there is not is an error that says which there are', async () => {
  const { db, c } = await opened();
  await c.run('CREATE TABLE t AS SELECT i AS id, i * i AS x FROM range(9) r(i)');
  for (const sql of ['SELECT cluster_fit(id, t, {k: 2, exclud: []}) FROM t', "SELECT cluster_fit(id, t, {k: 2, 'EXCLUD': []}) FROM t"]) {
    assert.match(await failure(c, sql), /there is no option "exclud"\nthere are algorithm, batch, [a-z_, ]*exclude, [a-z_, ]*k, [a-z_, ]*weight, and the parameters of the algorithm\ndid you mean exclude\?\nhint: FROM cluster_params\('kmeans'\)/);
  }
  db.closeSync();
});

test('what a hint says can be written: names are in quotes, and a statement with them runs', async () => {
  const { db, c } = await opened();
  await c.run("CREATE TABLE t AS SELECT i AS id, i * i AS x, 'a' || i % 3 AS HD FROM range(30) r(i)");
  const said = await failure(c, "FROM cluster_fit(t, 'id', k := 2)");
  const hint = /hint: (categorical := '[^']*')/.exec(said)?.[1];
  assert.equal(hint, "categorical := 'HD'", said);
  assert.deepEqual(await rows(c, `SELECT n FROM cluster_fit(t, 'id', k := 2, ${hint})`), [[30n]]);
  const grid = /grid := '[A-Z=,.]*'/.exec(await failure(c, "FROM cluster_path(t, 'id', k := 2, ignore_text := true)"))?.[0];
  assert.equal(grid, "grid := 'NAME=A,B,...'");
  db.closeSync();
});
