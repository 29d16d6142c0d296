import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { providerFiles, source } from './additions.ts';

const Rate = z.number().min(0).max(100_000);
const Rates = { input: Rate, output: Rate, cacheRead: Rate, cacheWrite: Rate };

/** The members of a model in the package that the catalog uses. */
const Model = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  type: z.literal('chat'),
  reasoning: z.boolean(),
  input: z.array(z.string()),
  cost: z.object({
    ...Rates,
    tiers: z.array(z.object({ inputTokensAbove: z.int().min(1), ...Rates })).optional(),
  }),
  contextWindow: z.int().min(1),
  maxTokens: z.int().min(1),
});
export type PackageModel = z.infer<typeof Model>;

const run = promisify(execFile);

/** Downloads the package of model data and reads the models of each provider. @throws if one has another shape. */
export async function readPackage(): Promise<Map<keyof typeof providerFiles, PackageModel[]>> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'catalog-'));
  const packed = `${source.name}@${source.version}`;
  const { stdout } = await run('npm', ['pack', packed, '--silent', '--pack-destination', folder.path]);
  await run('tar', ['-xzf', join(folder.path, stdout.trim()), '-C', folder.path]);
  const models = new Map<keyof typeof providerFiles, PackageModel[]>();
  for (const [provider, file] of Object.entries(providerFiles)) {
    const path = join(folder.path, 'package/dist/providers', `${file}.models.js`);
    const exported: Record<string, object> = await import(path);
    const listed = exported[`${file.toUpperCase().replaceAll('-', '_')}_MODELS`] ?? {};
    models.set(provider as keyof typeof providerFiles, z.array(Model).min(1).parse(Object.values(listed)));
  }
  return models;
}
