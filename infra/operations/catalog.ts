import { readFile, writeFile } from 'node:fs/promises';
import type { CatalogData } from '../../shared/adapters/models/catalog.ts';
import { buildCatalog } from './catalog/build-catalog.ts';
import { catalogDifferences } from './catalog/difference.ts';
import { readPackage } from './catalog/read-package.ts';
import { printNote, runOperation } from './deployment/operation.ts';

const path = new URL('../../shared/adapters/models/catalog.json', import.meta.url);

/** One line per model, so that a difference shows which models changed. */
const textOf = ({ source, models, offers }: CatalogData) => {
  const lines = (rows: readonly unknown[]) => rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
  return `{\n  "source": ${JSON.stringify(source)},\n  "models": [\n${lines(models)}\n  ],\n  "offers": [\n${lines(offers)}\n  ]\n}\n`;
};

/** Rewrites the catalog of models from the package of model data, and prints what changed. */
async function refreshCatalog(): Promise<void> {
  const before: CatalogData = JSON.parse(await readFile(path, 'utf8'));
  const { data, unpriced } = buildCatalog(await readPackage());
  await writeFile(path, textOf(data));
  for (const line of catalogDifferences(before, data)) process.stdout.write(`${line}\n`);
  for (const name of unpriced) process.stdout.write(`left out ${name}: it has no price\n`);
  printNote(`${data.models.length} models, ${data.offers.length} offers, from ${data.source}`);
}

await runOperation(refreshCatalog);
