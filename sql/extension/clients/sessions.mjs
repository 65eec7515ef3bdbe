// Sessions of every kind: what is read and written is what the session sees, and nothing else.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { extension, failure, opened, rows } from './client.mjs';

const root = new URL('../../..', import.meta.url).pathname;
const dir = mkdtempSync(join(tmpdir(), 'sqlcluster-sessions-'));
after(() => rmSync(dir, { recursive: true }));

const wines = `FROM '${root}examples/wine.csv'`;
const fit = (relation, more = '') => `SELECT n FROM sqlcluster.cluster_fit(${relation}, 'id', exclude := ['class'], k := 3${more})`;

// shop is a database file with a table and a fit.
const shop = join(dir, 'shop.duckdb');
{
  const { db, c } = await opened(shop);
  await c.run(`CREATE TABLE wines AS ${wines}`);
  await c.run("CREATE TABLE m AS FROM cluster_fit(wines, 'id', exclude := ['class'], k := 3)");
  c.closeSync(), db.closeSync();
}

test('a database that is read only can be fitted, and stays as it is', async () => {
  const db = await DuckDBInstance.create(shop, { access_mode: 'READ_ONLY', allow_unsigned_extensions: 'true' });
  const c = await db.connect();
  await c.run(`LOAD '${extension}'`);
  assert.deepEqual(await rows(c, fit('wines')), [[178n]]);
  await c.run("CREATE TEMP TABLE own AS FROM sqlcluster.cluster_fit(wines, 'id', exclude := ['class'], k := 3)");
  for (const m of ['own', 'temp.own', "'own'", 'm', 'shop.m', "'shop.main.m'"]) {
    assert.deepEqual(await rows(c, `SELECT count(*) FROM sqlcluster.cluster_assignments(${m})`), [[178n]], m);
  }
  assert.deepEqual(await rows(c, 'SELECT DISTINCT m.model = own.model FROM m, own'), [[true]]);
  assert.match(await failure(c, 'CREATE TABLE shop.more AS SELECT 1'), /read-only/);
  c.closeSync(), db.closeSync();
});

test('a LOAD twice is one, and USE and a search path have names without a catalogue', async () => {
  const { db, c } = await opened(shop);
  await c.run(`LOAD '${extension}'`);
  await c.run('USE sqlcluster');
  for (const name of ['shop.wines', 'shop.main.wines', "'shop.wines'"]) assert.deepEqual(await rows(c, `SELECT n FROM cluster_fit(${name}, 'id', k := 3)`), [[178n]]);
  assert.deepEqual(await rows(c, "WITH w AS (FROM shop.wines) SELECT n FROM cluster_fit(w, 'id', k := 3)"), [[178n]]);
  assert.match(await failure(c, "FROM cluster_fit(wines, 'id', k := 3)"), /Table with name wines does not exist/);
  await c.run('USE shop');
  assert.match(await failure(c, "FROM cluster_fit(wines, 'id', k := 3)"), /sqlcluster\.cluster_fit/);
  assert.deepEqual(await rows(c, fit('wines')), [[178n]]);
  await c.run("SET search_path = 'shop.main,sqlcluster.main'");
  assert.deepEqual(await rows(c, "SELECT n FROM cluster_fit(wines, 'id', k := 3)"), [[178n]]);
  const other = await db.connect(); // which has loaded nothing itself
  assert.deepEqual(await rows(other, fit('wines')), [[178n]]);
  c.closeSync(), other.closeSync(), db.closeSync();
});

test('databases that are attached are read, and free when they are detached', async () => {
  const { db, c } = await opened();
  await c.run(`ATTACH '${shop}' AS other (READ_ONLY)`);
  for (const name of ['other.wines', 'other.main.wines', "'other.wines'"]) assert.deepEqual(await rows(c, fit(name)), [[178n]]);
  assert.deepEqual(await rows(c, 'SELECT sum(cluster_predict(m.model, w)) FROM other.wines w, other.m'), [[164n]]);
  await c.run('DETACH other');
  assert.match(await failure(c, fit('other.wines')), /does not exist/);
  const { db: writing, c: w } = await opened(shop); // nothing keeps it
  assert.deepEqual(await rows(w, fit('wines')), [[178n]]);
  w.closeSync(), writing.closeSync(), c.closeSync(), db.closeSync();
});

test('a fit sees what its transaction has changed, and goes with it', async () => {
  const { db, c } = await opened();
  await c.run(`CREATE TEMP TABLE wines AS ${wines}`);
  await c.run('BEGIN');
  await c.run('DELETE FROM wines WHERE id > 100');
  await c.run("CREATE TABLE m AS FROM cluster_fit(wines, 'id', k := 3)");
  assert.deepEqual(await rows(c, 'SELECT n FROM m'), [[100n]]);
  const other = await db.connect();
  assert.match(await failure(other, 'FROM m'), /does not exist/);
  await c.run('ROLLBACK');
  assert.match(await failure(c, 'FROM m'), /does not exist/);
  assert.deepEqual(await rows(c, fit('wines')), [[178n]]);
  await c.run('BEGIN');
  assert.match(await failure(c, fit('wines', ', nulls := 3')), /nulls is 3/);
  assert.match(await failure(c, 'SELECT 1'), /aborted/); // as after any error
  await c.run('ROLLBACK');
  assert.deepEqual(await rows(c, fit('wines')), [[178n]]);
  c.closeSync(), other.closeSync(), db.closeSync();
});

test('two databases of a process have functions of their own, and one goes on when the other is closed', async () => {
  const [a, b] = [await opened(), await opened(shop)];
  await a.c.run(`CREATE TABLE wines AS ${wines} WHERE id < 100`);
  assert.deepEqual(await Promise.all([a, b, a, b].map(({ c }) => rows(c, fit('wines')))), [[[99n]], [[178n]], [[99n]], [[178n]]]);
  a.c.closeSync(), a.db.closeSync();
  assert.deepEqual(await rows(b.c, fit('wines')), [[178n]]);
  b.c.closeSync(), b.db.closeSync();
});

test('runs of the command are listed as the command lists them, in every schema, and after a look only', async () => {
  const file = join(dir, 'runs.duckdb');
  const tool = (...a) => execFileSync(join(root, 'bin/sqlcluster'), a, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  tool('sql', file, '-q', '-c', `CREATE TABLE wines AS ${wines}; CREATE SCHEMA "it's"; CREATE TABLE no_fit AS SELECT 1 AS a; CREATE TABLE none_fit(a INTEGER)`);
  tool('fit', 'wines', '--db', file, '--id', 'id', '--exclude', 'class', '-k', '3', '--into', 'three');
  tool('fit', 'wines', '--db', file, '--id', 'id', '--exclude', 'class', '-k', '2', '--by', 'class', '--into', 'groups');
  const list = 'SELECT * EXCLUDE (source), CASE WHEN run NOT IN (\'groups\') THEN source END AS source FROM cluster_runs() ORDER BY run';
  const { db, c } = await opened(file);
  const schema = (await rows(c, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'three_fit'"))[0][0];
  assert.equal(schema, 1n);
  await c.run(`CREATE TABLE "it's"."O""Brien_fit" AS FROM three_fit`);
  assert.match(await failure(c, 'FROM cluster_runs()'), /which runs are there\?\nhint: SET VARIABLE cluster_runs = sqlcluster.cluster_runs_sql\(\)/);
  await c.run('SET VARIABLE cluster_runs = cluster_runs_sql()');
  const names = (await c.runAndReadAll(list)).columnNames();
  const got = (await rows(c, list)).map((r) => Object.fromEntries(r.map((v, i) => [names[i], v?.toString() ?? null])));
  c.closeSync(), db.closeSync();
  const want = tool('sql', file, '-o', 'jsonl', '-c', list).trim().split('\n').map((l) => JSON.parse(l))
    .map((r) => Object.fromEntries(Object.entries(r).map(([k, v]) => [k, v?.toString() ?? null])));
  assert.equal(want.length, 3);
  assert.deepEqual(got, want);
  const { db: empty, c: e } = await opened();
  await e.run('SET VARIABLE cluster_runs = cluster_runs_sql()');
  assert.deepEqual(await rows(e, 'FROM cluster_runs()'), []);
  e.closeSync(), empty.closeSync();
});
