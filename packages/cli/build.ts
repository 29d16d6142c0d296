import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** `npm run build` in this folder: makes the program, one file with all that it needs. */
const dist = join(import.meta.dirname, 'dist');
rmSync(dist, { recursive: true, force: true });
await build({
  entryPoints: [join(import.meta.dirname, 'src/main.ts')],
  outfile: join(dist, 'main.js'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // Packages in CommonJS require modules of Node.js.
  banner: {
    js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
});
