import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { examplePath } from '../support/stack/paths.ts';
import { killAll, launch, newDirectory, readStackFacts } from '../support/stack/processes.ts';

/** What a caller makes holds the thread that serves everybody for a moment only: processor time on a machine with nothing else to do. */
const heldMsMax = 150;
/** A machine that does other work is measured badly: only what is clearly more fails. */
const failsFromMs = 200;
/** What the service keeps of all bodies. With more it would end. */
const heapMbMax = 400;

/** How much slower this machine is now, by work that takes 25 ms of processor time on it when it has nothing else to do. */
function slowness(): number {
  const before = process.threadCpuUsage();
  for (let n = 0; n < 10; n++) JSON.parse(values.objects);
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(1, (user + system) / 1_000 / 25);
}

const watched = join(newDirectory(), 'watched.jsonl');
let child: ReturnType<typeof launch>;
let facts: Awaited<ReturnType<typeof readStackFacts>>;

beforeAll(async () => {
  const limits = { RATE_LIMIT_PER_HOUR: '1000000', RATE_LIMIT_PER_DAY: '1000000' };
  const parameters = [
    `--max-old-space-size=${heapMbMax}`,
    '--import',
    './test/support/stack/watch-thread.ts',
    'infra/local/main.ts',
  ];
  child = launch(process.execPath, [...parameters, '--json', '--ephemeral'], {
    ...limits,
    LOG_LEVEL: 'error',
    WATCH_FILE: watched,
  });
  facts = await readStackFacts(child);
  // The modules of all endpoints are loaded with their first request.
  for (const endpoint of withBody) await send(endpoint, '{}');
}, 300_000);
afterAll(killAll);

const withBody = (endpoints as readonly AnyEndpoint[])
  .filter(({ body, bodyType = 'json' }) => body && bodyType === 'json')
  .sort((one, other) => Number(other.permission === 'public') - Number(one.permission === 'public'));

const credentialOf = ({ permission, sessionOnly }: AnyEndpoint) =>
  permission === 'public' ? undefined : sessionOnly ? facts.sessionToken : facts.liveKey;

interface Watched {
  at: number;
  heldMs: number;
}

/** @returns what was noted of the thread while it was answered */
async function send(endpoint: AnyEndpoint, body: string): Promise<Watched[]> {
  const from = Date.now();
  const credential = credentialOf(endpoint);
  const response = await fetch(facts.url + examplePath(endpoint), {
    method: endpoint.method,
    headers: {
      'content-type': 'application/json',
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    },
    body,
  });
  await response.text();
  expect(response.status, `${endpoint.id} answers ${body.slice(0, 80)}`).not.toBe(500);
  const lines = readFileSync(watched, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
  return lines.map((line): Watched => JSON.parse(line)).filter(({ at }) => at >= from);
}

const many = (text: string, count: number) => `[${`${text},`.repeat(count)}${text}]`;
const allowed = 99_000;
const members = (value: string, count: number) =>
  `{${Array.from({ length: count }, (_each, at) => `"k${at}":${value}`).join(',')}}`;

/** The largest and the most nested values that the limits of a body allow, and some beyond them. */
const values = {
  zeros: many('0', allowed),
  objects: many('{}', allowed / 2),
  texts: many('""', allowed),
  members: members('0', allowed),
  'members with objects': members('{}', allowed / 2),
  'levels of lists': `${'['.repeat(1_900)}${']'.repeat(1_900)}`,
  'levels of objects': `${'{"a":'.repeat(1_900)}0${'}'.repeat(1_900)}`,
  'a text': `"${'a'.repeat(4_000_000)}"`,
  brackets: `"${'{{'.repeat(2_000_000)}"`,
  'too many zeros': many('0', 2_000_000),
  'too many objects': many('{}', 1_500_000),
};

/**
 * As the body, and as its members. Endpoints without a credential get every value in every member; of the others each gets
 * some, so that all together have tried every value.
 */
function bodiesOf({ body, permission }: AnyEndpoint, at: number): [name: string, body: string][] {
  const names = Object.keys((body as { shape?: object } | undefined)?.shape ?? {});
  const given = Object.entries(values);
  const isChosen = (index: number, of: number) => permission === 'public' || (index + at) % of === 0;
  return given.flatMap(([what, value], which): [string, string][] => [
    ...(isChosen(which, 4) ? [[what, value] as [string, string]] : []),
    ...names
      .filter((_name, index) => isChosen(which + index, 11))
      .map((name): [string, string] => [`${what} in ${name}`, `{${JSON.stringify(name)}:${value}}`]),
  ]);
}

test('no body of any endpoint holds the thread for longer than 150 ms, or stays in memory', async () => {
  const slow: string[] = [];
  let longest = 0;
  for (const [at, endpoint] of withBody.entries()) {
    for (const [name, body] of bodiesOf(endpoint, at)) {
      let held = await heldMs(endpoint, body);
      // A collection of garbage, or a busy machine: what the body itself takes, it takes again.
      for (let again = 0; again < 5 && held > heldMsMax; again++)
        held = Math.min(held, (await heldMs(endpoint, body)) / slowness());
      longest = Math.max(longest, held);
      if (held > failsFromMs) slow.push(`${endpoint.id}, ${name}: ${Math.round(held)} ms`);
    }
  }
  console.log(`${withBody.length} endpoints, held for ${Math.round(longest)} ms at most`);
  expect(slow).toEqual([]);
  expect(child.exitCode).toBeNull();
}, 900_000);

const heldMs = async (endpoint: AnyEndpoint, body: string) =>
  Math.max(0, ...(await send(endpoint, body)).map((noted) => noted.heldMs));
