// Makes the plugin: one file with everything that it needs except Node.js itself, so
// that the hash that `sqlcluster plugin add` records covers the whole program.
//
//	node build.mjs [FILE]
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const outfile = process.argv[2] ?? 'sqlcluster-plugin-kmedians';
await build({
  absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
  entryPoints: ['src/main.mjs'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  banner: { js: '#!/usr/bin/env node' },
  loader: { '.proto': 'text' },
  legalComments: 'eof',
  logLevel: 'warning',
});
chmodSync(outfile, 0o755);
