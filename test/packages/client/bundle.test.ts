import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const entry = fileURLToPath(import.meta.resolve('../../../packages/client/src/client.ts'));

/** As `packages/client/build.ts` makes it. */
const bundled = () =>
  build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
  });

test('the client has at most 15 KB compressed, and nothing of the service', async () => {
  const { metafile, outputFiles } = await bundled();
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.length).toBeGreaterThan(5);
  const others = inputs.filter((path) => !path.includes('packages/client/src/'));
  expect(others).toEqual([expect.stringContaining('node_modules/eventsource-parser/')]);
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(15_000);
});

test('the client needs only what every runtime has', async () => {
  const { outputFiles } = await bundled();
  expect(outputFiles[0]?.text).not.toMatch(
    /\bimport\s*\(|^import |\brequire\(|\bprocess\b|\bBuffer\b|\bwindow\b/m,
  );
});
