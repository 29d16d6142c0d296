import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { examplePath } from '../support/stack/paths.ts';
import { killAll, launch, newDirectory, readStackFacts } from '../support/stack/processes.ts';

/** What a caller makes holds the thread that serves everybody for a moment only, and takes little of its memory. */
const heldMsMax = 150;
const memoryMbMax = 250;

const watched = join(newDirectory(), 'watched.jsonl');
let facts: Awaited<ReturnType<typeof readStackFacts>>;

beforeAll(async () => {
  const limits = { RATE_LIMIT_PER_HOUR: '1000000', RATE_LIMIT_PER_DAY: '1000000' };
  const parameters = ['--import', './test/support/stack/watch-thread.ts', 'infra/local/main.ts'];
  const child = launch(process.execPath, [...parameters, '--json', '--ephemeral'], {
    ...limits,
    LOG_LEVEL: 'error',
    WATCH_FILE: watched,
  });
  facts = await readStackFacts(child);
  // The modules of all endpoints are loaded with their first request.
  for (const endpoint of withBody) await send(endpoint, '{}');
}, 300_000);
afterAll(killAll);

const withBody = Object.values(endpoints as Record<string, AnyEndpoint>)
  .filter(({ body, bodyType = 'json' }) => body && bodyType === 'json')
  .sort((one, other) => Number(other.permission === 'public') - Number(one.permission === 'public'));

const credentialOf = ({ permission, sessionOnly }: AnyEndpoint) =>
  permission === 'public' ? undefined : sessionOnly ? facts.sessionToken : facts.liveKey;

interface Watched {
  at: number;
  heldMs: number;
  mb: number;
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
  'levels of lists': '['.repeat(1_900) + ']'.repeat(1_900),
  'levels of objects': '{"a":'.repeat(1_900) + '0' + '}'.repeat(1_900),
  'a text': `"${'a'.repeat(4_000_000)}"`,
  brackets: `"${'{{'.repeat(2_000_000)}"`,
  'too many zeros': many('0', 2_000_000),
  'too many objects': many('{}', 1_500_000),
};

/** As the body, and as each of its members: those of other names come after the first ones. */
function bodiesOf({ body }: AnyEndpoint): [name: string, body: string][] {
  const shape = (body as { shape?: object } | undefined)?.shape ?? {};
  const names = Object.keys(shape);
  return Object.entries(values).flatMap(([what, value], at): [string, string][] => [
    [what, value],
    ...names
      .filter((_name, index) => (index + at) % 3 === 0 || names.length <= 3)
      .map((name): [string, string] => [`${what} in ${name}`, `{${JSON.stringify(name)}:${value}}`]),
  ]);
}

test('no body of any endpoint holds the thread for longer than 150 ms, or takes much memory', async () => {
  const slow: string[] = [];
  let [longest, before] = [0, 0];
  for (const endpoint of withBody) {
    for (const [name, body] of bodiesOf(endpoint)) {
      const noted = await send(endpoint, body);
      const held = Math.max(0, ...noted.map(({ heldMs }) => heldMs));
      longest = Math.max(longest, held);
      before = Math.max(before, ...noted.map(({ mb }) => mb));
      if (held <= heldMsMax) continue;
      // A collection of garbage, or a busy machine: what the body itself takes, it takes again.
      const again = [await send(endpoint, body), await send(endpoint, body)];
      const least = Math.min(held, ...again.map((each) => Math.max(0, ...each.map(({ heldMs }) => heldMs))));
      if (least > heldMsMax) slow.push(`${endpoint.id}, ${name}: ${least} ms`);
    }
  }
  console.log(`${withBody.length} endpoints, held for ${longest} ms at most, ${before} MB at most`);
  expect(slow).toEqual([]);
  expect(before).toBeLessThan(memoryMbMax);
}, 900_000);
