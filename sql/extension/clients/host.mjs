// The programs with DuckDB in them that tests start: host.c, and golang.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { extension } from './client.mjs';

const root = new URL('../../..', import.meta.url).pathname;

// dir is a directory for the files of this test file.
export const dir = mkdtempSync(join(tmpdir(), 'sqlcluster-host-'));
after(() => rmSync(dir, { recursive: true }));

// temporary is where programs put temporary files.
export const temporary = mkdtempSync(join(dir, 'tmp'));

const libraries = new URL('node_modules/@duckdb/node-bindings-linux-x64', import.meta.url).pathname;

// built builds the program in C.
function built() {
  const program = join(dir, 'host');
  execFileSync('cc', ['-O1', '-Wall', '-Werror', '-o', program, 'host.c', `-L${libraries}`, '-l:libduckdb.so', `-Wl,-rpath,${libraries}`, '-lpthread'],
    { cwd: import.meta.dirname });
  return program;
}

// builtInGo builds the program in Go.
export function builtInGo() {
  const program = join(dir, 'golang-host');
  execFileSync('go', ['build', '-o', program, './sql/extension/clients/golang'], { cwd: root });
  return program;
}

export const host = built();

// run runs a program with arguments after the extension.
export const run = (program, arguments_, before = []) => {
  const [command, ...all] = [...before, program, extension, ...arguments_];
  const { status, signal, stdout, stderr } = spawnSync(command, all,
    { encoding: 'utf8', timeout: 120000, env: { ...process.env, TMPDIR: temporary, SQLCLUSTER_KERNEL: 'of-the-host' } });
  return { status, signal, said: stdout + stderr };
};
