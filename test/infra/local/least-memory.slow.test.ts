import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { childProcessIds, killAll, start } from '../../support/stack/processes.ts';

afterEach(killAll);

/** The least memory that docs/guides/self-hosting.md names. */
const megabytes = 512;

/** Memory that processes share counts once, as for a container. */
function megabytesOf(pids: readonly number[]): number {
  const sizes = pids.map((pid) => {
    const [, kilobytes = 0] =
      /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kilobytes) / 1_024;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

test(`a flood of bodies of 5 MB, after the first request for a page, stays within ${megabytes} MB, and the service answers after it`, async () => {
  const settings = { MEMORY_MB: String(megabytes), RATE_LIMIT_PER_HOUR: '100000' };
  const { child, facts } = await start(settings, ['--ephemeral']);
  expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).toContain('--max-old-space-size=179');
  const headers = { authorization: `Bearer ${facts.liveKey}`, 'content-type': 'application/json' };
  const refused = JSON.stringify({ type: 't', name: 'n', metadata: {}, filling: 'x'.repeat(5_000_000) });
  const steps = [{ type: 'template', name: 'Say', config: { template: 'hi', outputVariable: 'said' } }];
  const list = Array.from({ length: 90_000 }, (_, n) => `item ${n} ${'x'.repeat(35)}`);
  const run = JSON.stringify({
    flow: { name: 'f', steps },
    inputs: { list },
    options: { streamResponse: false },
  });
  const end = Date.now() + 35_000;
  const statuses = new Set<number>();
  let most = 0;
  const measuring = (async () => {
    for (; Date.now() < end; await sleep(250)) {
      most = Math.max(most, megabytesOf([child.pid as number, ...childProcessIds(child)]));
    }
  })();
  // Builds and compresses all pages.
  await (await fetch(`${facts.url}/openapi.json`)).arrayBuffer();
  async function send(path: string, body: string): Promise<void> {
    while (Date.now() < end) {
      const response = await fetch(facts.url + path, { method: 'POST', headers, body });
      statuses.add(response.status);
      await response.arrayBuffer();
      if (response.status === 429 || response.status === 503) await sleep(100);
    }
  }
  const senders = Array.from({ length: 20 }, (_, n) =>
    n % 2 === 0 ? send('/v1/records', refused) : send('/v1/dispatch', run),
  );
  await Promise.all([measuring, ...senders]);
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400]));
  expect(most).toBeLessThan(megabytes);
  expect((await fetch(`${facts.url}/v1/flows`, { headers })).status).toBe(200);
}, 120_000);

test(`fifty runs with outputs of 3.6 MB, begun at once in ${megabytes} MB, run or are refused before they begin`, async () => {
  const { facts } = await start({ MEMORY_MB: String(megabytes) }, ['--ephemeral']);
  const headers = { authorization: `Bearer ${facts.liveKey}`, 'content-type': 'application/json' };
  const script = "return 'some text '.repeat(30_000)";
  const steps = Array.from({ length: 12 }, (_, n) => ({
    type: 'transform-data',
    name: `s${n}`,
    config: { script },
  }));
  const body = JSON.stringify({ flow: { name: 'f', steps }, options: { streamResponse: false } });
  const run = async () => {
    const response = await fetch(`${facts.url}/v1/dispatch`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: 50 }, run));
  expect(new Set(statuses).difference(new Set([200, 503]))).toEqual(new Set());
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  expect((await fetch(`${facts.url}/v1/flows`, { headers })).status).toBe(200);
}, 120_000);

/** What the process holds in the heap of malloc, which shrinks only from its end. */
function mallocHeapOf(pid: number): number {
  const [, kilobytes = 0] =
    /\[heap\]\n(?:.*\n)*?Rss: +(\d+) kB/.exec(readFileSync(`/proc/${pid}/smaps`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

test('what large bodies took is not kept: it is outside of the heap of malloc, also with a given limit of the heap', async () => {
  const { child, facts } = await start({ NODE_OPTIONS: '--max-old-space-size=1024' }, ['--ephemeral']);
  const headers = { authorization: `Bearer ${facts.liveKey}`, 'content-type': 'application/json' };
  const steps = [{ type: 'template', name: 'Say', config: { template: 'Hello {{ who }}' } }];
  const send = async (bytes: number) => {
    const inputs = { who: 'x'.repeat(bytes) };
    const body = JSON.stringify({ flow: { name: 'f', steps }, inputs, options: { streamResponse: false } });
    const response = await fetch(`${facts.url}/v1/dispatch`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  for (let n = 0; n < 20; n++) await send(1_000);
  const before = mallocHeapOf(child.pid as number);
  const statuses = await Promise.all(Array.from({ length: 40 }, () => send(5_000_000)));
  expect(statuses).toContain(200);
  // What came in pieces of 64 KB may be there, but not the bodies, which have 200 MB.
  expect(mallocHeapOf(child.pid as number) - before).toBeLessThan(150);
}, 120_000);
