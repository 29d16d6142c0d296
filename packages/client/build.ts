import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { writeTypes } from './generate/write-types.ts';

/** `npm run build` in this folder: makes `dist`, one module and its declarations. */
const folder = import.meta.dirname;
const dist = join(folder, 'dist');
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
writeTypes();
rmSync(dist, { recursive: true, force: true });
await build({
  entryPoints: [join(folder, 'src/client.ts')],
  outfile: join(dist, 'client.js'),
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
});
execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', folder], { stdio: 'inherit' });
// The compiler keeps the names of the sources, which are not in the package.
for (const file of globSync(`${dist}/*.d.ts`)) {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.\/\w+)\.ts'/g, "$1.js'"));
}
