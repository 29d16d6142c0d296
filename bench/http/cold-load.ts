import { execFile } from 'node:child_process';
import { mkdtempDisposable, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { makeBareBundle, makeBundles } from '../measure/bundles.ts';
import { type Figure, median, printProgress, round } from '../measure/figure.ts';

const loads = 15;

/** (b) How long the endpoint's bundle takes to load in a new process, and how much it loads. */
export async function measureColdLoad(): Promise<Figure[]> {
  printProgress('b: cold load of the bundle of GET /v1/flows/:id, against a bare handler');
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-bundles-'));
  const endpoint = (await makeBundles(directory.path))('flows.get');
  const bare = await makeBareBundle(directory.path);
  const times: { endpoint: number; bare: number }[] = [];
  for (let load = 0; load <= loads; load++) {
    times.push({ endpoint: await loadMs(endpoint), bare: await loadMs(bare) });
  }
  // The first runs read from the disk.
  times.shift();
  const endpointMs = median(times.map(({ endpoint }) => endpoint));
  const bareMs = median(times.map(({ bare }) => bare));
  return [
    {
      figure: 'b',
      what: 'cold load of the bundle of GET /v1/flows/:id over that of a bare handler',
      value: round(endpointMs / bareMs),
      unit: 'times',
      goal: { atMost: 1.3 },
      details: { endpointMs: round(endpointMs, 1), bareHandlerMs: round(bareMs, 1), loads },
    },
    {
      figure: 'b',
      what: 'what the bundle of GET /v1/flows/:id loads at its start',
      value: await startKilobytes(endpoint),
      unit: 'KB',
      goal: { atMost: 700 },
      details: { withLazyChunksKb: await allKilobytes(endpoint), bareHandlerKb: await startKilobytes(bare) },
    },
  ];
}

const loadMs = (folder: string) =>
  inNewProcess(`
    const before = performance.now();
    await import(${urlOf(folder)});
    console.log(performance.now() - before);`);

/** The files that Node reads: the entry and its static chunks. */
export const startKilobytes = async (folder: string) =>
  round(
    await inNewProcess(`
      import { registerHooks } from 'node:module';
      let bytes = 0;
      registerHooks({
        load(url, context, next) {
          const loaded = next(url, context);
          if (url.startsWith('file:')) bytes += Buffer.byteLength(loaded.source);
          return loaded;
        },
      });
      await import(${urlOf(folder)});
      console.log(bytes / 1_000);`),
    1,
  );

async function allKilobytes(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    files.filter((file) => file.isFile()).map(async ({ parentPath, name }) => stat(join(parentPath, name))),
  );
  return round(sizes.reduce((sum, { size }) => sum + size, 0) / 1_000, 1);
}

const urlOf = (folder: string) => JSON.stringify(pathToFileURL(join(folder, 'index.mjs')).href);

async function inNewProcess(script: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return Number(stdout);
}
