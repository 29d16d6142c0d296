import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { builtConsole } from './build.ts';

/** `npm run build`: writes the console to the folder `dist`, and says how large each file is. */
const target = fileURLToPath(new URL('dist', import.meta.url));
for (const [path, content] of Object.entries(await builtConsole())) {
  const file = join(target, path === '' ? 'console.html' : `console${path}`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  const kilobytes = (gzipSync(content).length / 1000).toFixed(1).padStart(8);
  process.stdout.write(`${kilobytes} KB compressed  ${file.slice(target.length + 1)}\n`);
}
