import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keptBundles } from '../../../infra/aws/lambdas/kept-bundles.ts';

async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'kept-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const directory = join(folder, 'bundles');
  const source = (name: string) => join(folder, name);
  await writeFile(source('own.ts'), 'own');
  await writeFile(source('shared.ts'), 'shared');
  const made: string[] = [];
  /** One synthesis: which of two Lambdas it bundles. */
  async function madeBy(options: object = {}, ids = ['one', 'two']) {
    const kept = keptBundles(directory, options);
    made.length = 0;
    for (const id of ids) {
      await kept.folderOf(id, async () => {
        made.push(id);
        await mkdir(join(directory, id), { recursive: true });
        return { sources: id === 'one' ? [source('own.ts'), source('shared.ts')] : [source('shared.ts')] };
      });
    }
    await kept.removeOthers(ids);
    return [...made];
  }
  return { directory, source, madeBy };
}

test('only Lambdas with a source that has changed are bundled again', async () => {
  const { source, madeBy } = await world();
  expect(await madeBy()).toEqual(['one', 'two']);
  expect(await madeBy()).toEqual([]);
  await writeFile(source('own.ts'), 'changed');
  expect(await madeBy()).toEqual(['one']);
  await writeFile(source('shared.ts'), 'changed');
  expect(await madeBy()).toEqual(['one', 'two']);
  await rm(source('own.ts'));
  expect(await madeBy()).toEqual(['one']);
  expect(await madeBy({ minify: false })).toEqual(['one', 'two']);
});

test('a bundle that is missing or incomplete is made, and one of no Lambda is removed', async () => {
  const { directory, madeBy } = await world();
  await madeBy();
  await rm(join(directory, 'one'), { recursive: true });
  expect(await madeBy()).toEqual(['one']);
  // As after a synthesis that was interrupted.
  await rm(join(directory, 'two.json'));
  expect(await madeBy()).toEqual(['two']);
  await writeFile(join(directory, 'one.json'), '{"inputs":["');
  expect(await madeBy()).toEqual(['one']);
  await madeBy({}, ['two']);
  expect((await readdir(directory)).sort()).toEqual(['two', 'two.json']);
});
