import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { bundleConsole } from '../../console/bundle.ts';
import { keptBuild } from '../../console/kept-build.ts';

test('a change of any file that the console bundles builds it anew, also of one outside of its folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  await mkdir(join(folder, 'page'));
  await write(
    'page/index.html',
    '<!doctype html><title>Page</title><script type="module" src="./main.ts"></script>',
  );
  await write('page/main.ts', "import { word } from '../shared.ts'; document.title = word;");
  await write('shared.ts', "export const word: string = 'first';");
  await write('later.ts', "export const later: string = 'unused';");

  const built = async () => {
    const files = await keptBuild({ root: join(folder, 'page'), kept: join(folder, 'kept') });
    return Object.entries(files)
      .filter(([name]) => name.endsWith('.js'))
      .map(([, content]) => Buffer.from(content).toString())
      .join();
  };
  const keptFolders = async () =>
    (await readdir(join(folder, 'kept'))).filter((name) => !name.endsWith('.json'));
  expect(await built()).toContain('first');
  await write('shared.ts', "export const word: string = 'second';");
  expect(await built()).toContain('second');
  await write(
    'shared.ts',
    "import { later } from './later.ts'; export const word: string = 'third ' + later;",
  );
  expect(await built()).toMatch(/third.*unused|unused.*third/s);
  await write('later.ts', "export const later: string = 'fourth';");
  expect(await built()).toContain('fourth');
  await write('later.ts', "export const later: string = 'unused';");
  expect(await built()).toContain('unused');
  expect(await keptFolders()).toHaveLength(4);
}, 60_000);

test('the console is made of its own modules and the shared ones that they import, without libraries', async () => {
  const root = fileURLToPath(new URL('../../console/', import.meta.url));
  const { inputs } = await bundleConsole(root);
  expect(inputs).toEqual(
    expect.arrayContaining(
      [
        'src/main.tsx',
        'src/style/base.css',
        '../shared/core/filters/field.ts',
        '../shared/domain/schedules/cron.ts',
      ].map((path) => join(root, path)),
    ),
  );
  expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
}, 60_000);
