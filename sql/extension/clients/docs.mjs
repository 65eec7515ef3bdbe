// Every statement that docs/sql-functions.md shows, by the extension in stock DuckDB and
// by sqlcluster sql: the rows must be the same, to the last bit of each number.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
const { DuckDBListValue } = await import(process.env.DUCKDB_CLIENT ?? '@duckdb/node-api');
import { opened, rows } from './client.mjs';

const root = new URL('../../..', import.meta.url).pathname;
const tool = join(root, 'bin/sqlcluster');

// commands are those of the document: a database, if it names one, and SQL.
function commands() {
  const text = readFileSync(join(root, 'docs/sql-functions.md'), 'utf8');
  const all = [];
  for (const [, block] of text.matchAll(/```console\n([\s\S]*?)```/g)) {
    for (const [, line] of block.replaceAll('\\\n', '\n').matchAll(/^\$ (sqlcluster (?:[^\n"]|"(?:[^"\\]|\\[\s\S])*")*)/gm)) {
      const sql = /-c "((?:[^"\\]|\\[\s\S])*)"/.exec(line)?.[1].replace(/\\([\\"$`])/g, '$1');
      all.push({ line, file: / sql (\S+\.duckdb)/.exec(line)?.[1], sql: line.startsWith('sqlcluster sql') ? sql : undefined });
    }
  }
  return all;
}

// args are those of a command without its shell: no document has quotes within quotes.
const args = (line) => [...line.matchAll(/"((?:[^"\\]|\\[\s\S])*)"|(\S+)/g)].map((m) => (m[1] ?? m[2]).replace(/\\([\\"$`])/g, '$1')).slice(1);

// shown is a value as the command writes it in JSON: nested ones as DuckDB shows them.
function shown(v) {
  if (v === null || typeof v === 'boolean' || typeof v === 'number' || typeof v === 'string') return v;
  if (typeof v === 'bigint') return Number(v);
  if (v instanceof DuckDBListValue) return `[${v.items.join(', ')}]`;
  return v.toString();
}

test('every example is what the command makes of it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sqlcluster-docs-'));
  const place = (text) => text.replaceAll('wine.duckdb', join(dir, 'tool.duckdb')).replaceAll('segment.sql', join(dir, 'segment.sql'))
    .replaceAll('label.sql', join(dir, 'label.sql'));
  const run = (...a) => execFileSync(tool, a, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  const dbs = { 'wine.duckdb': await opened(join(dir, 'extension.duckdb')), undefined: await opened() };
  for (const { c } of Object.values(dbs)) await c.run(`SET file_search_path = '${root}'`);
  let compared = 0;
  const differing = [];
  for (const { line, file, sql } of commands()) {
    const { c } = dbs[file];
    const script = / -f segment.sql/.test(line) ? readFileSync(join(dir, 'segment.sql'), 'utf8') : sql;
    const dotted = script?.startsWith('.');
    if (script === undefined || dotted) { // a command of its own, which goes on with what the tool has
      if (!dotted && !/ (export|score) /.test(line)) continue; // what others need
      run(...args(place(line)));
      if (!dotted) continue;
      await c.run(`ATTACH '${join(dir, 'tool.duckdb')}' AS tool (READ_ONLY)`);
      for (const [name] of (await c.runAndReadAll(`SELECT table_name FROM duckdb_tables() WHERE database_name = 'tool' AND table_name LIKE 'segments%'`)).getRows()) {
        await c.run(`CREATE TABLE ${name} AS FROM tool.${name}`);
      }
      await c.run('DETACH tool');
      continue;
    }
    let want, wrong;
    try {
      want = run('sql', ...(file ? [join(dir, 'tool.duckdb')] : []), '-o', 'jsonl', ...(/ -f /.test(line) ? ['-f', join(dir, 'segment.sql')] : ['-c', place(script)]));
    } catch (e) {
      wrong = e.stderr;
    }
    const got = [];
    let failed;
    try {
      for (const statement of split(place(script))) {
        if (/cluster_runs\(/.test(statement)) await c.run('SET VARIABLE cluster_runs = cluster_runs_sql()');
        const r = await c.runAndReadAll(statement);
        const names = r.deduplicatedColumnNames();
        if (/^\s*(CREATE|COPY|PREPARE)/i.test(statement)) continue;
        got.push(...r.getRows().map((row) => Object.fromEntries(row.map((v, i) => [names[i], shown(v)]))));
      }
    } catch (e) {
      failed = e.message;
    }
    if (wrong !== undefined) {
      const [fault, hint] = [/^error\[.*?\]: (.*)/m.exec(wrong)?.[1], /^ +hint: +(.*)/m.exec(wrong)?.[1]];
      const same = failed?.startsWith(`Invalid Input Error: ${fault}`) && failed.includes(`\nhint: ${hint}`);
      if (same || /^(Catalog|Binder|Parser) Error/.test(failed)) compared++; // what DuckDB finds itself is in its words
      else differing.push({ line, wrong, failed });
      continue;
    }
    if (failed !== undefined) {
      differing.push({ line, failed });
      continue;
    }
    const right = want.split('\n').filter((l) => l.startsWith('{')).map((l) => JSON.parse(l));
    try {
      assert.deepEqual(got, right);
      compared++;
    } catch (e) {
      differing.push({ line, got: got.slice(0, 3), right: right.slice(0, 3) });
    }
  }
  const { c } = dbs['wine.duckdb'];
  await c.run(`ATTACH '${join(dir, 'tool.duckdb')}' AS tool (READ_ONLY)`);
  for (const table of ['wines', 'm', 'labelled', 'by_class']) { // with models, centers, assignments and all else
    const [[n, ours, theirs]] = await rows(c, `SELECT (SELECT count(*) FROM ${table}), (SELECT count(*) FROM (FROM ${table} EXCEPT FROM tool.${table})),
      (SELECT count(*) FROM (FROM tool.${table} EXCEPT FROM ${table}))`);
    assert.ok(n > 0n);
    assert.deepEqual([table, ours, theirs], [table, 0n, 0n]);
  }
  for (const { c, db } of Object.values(dbs)) c.closeSync(), db.closeSync();
  rmSync(dir, { recursive: true });
  assert.deepEqual(differing, []);
  assert.ok(compared > 25, `${compared} examples were compared`);
});

// split divides a script at the semicolons that are in no quotes.
function split(script) {
  const parts = script.match(/(?:[^;'"]|'(?:[^']|'')*'|"(?:[^"]|"")*")+/g) ?? [];
  return parts.map((p) => p.trim()).filter((p) => p !== '');
}
