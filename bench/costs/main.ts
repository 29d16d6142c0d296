import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { printProgress } from '../measure/figure.ts';
import { costsDocument } from './document.ts';
import { measureUnits, type Units } from './units.ts';

/** Writes docs/costs.md from `units.json`. `--measure` measures the units first. */
const { values } = parseArgs({ options: { measure: { type: 'boolean' } } });
const unitsFile = new URL('./units.json', import.meta.url);
if (values.measure) {
  await writeFile(unitsFile, `${JSON.stringify(await measureUnits(), null, 2)}\n`);
  printProgress('Wrote bench/costs/units.json');
}
const units = JSON.parse(await readFile(unitsFile, 'utf8')) as Units;
await writeFile(new URL('../../docs/costs.md', import.meta.url), costsDocument(units));
printProgress('Wrote docs/costs.md');
