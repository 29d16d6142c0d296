import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { createClient } from '../../../packages/client/src/client.ts';
import { killAll, newDirectory, start } from '../../support/stack/processes.ts';

const kills = Number(process.env.CHAOS_KILLS ?? 4);

afterEach(killAll);

const environment = () => ({ DATA_DIR: newDirectory(), LOG_LEVEL: 'error' });
const clientOf = ({ url, liveKey }: StackFacts) =>
  createClient({ baseUrl: url, apiKey: liveKey, retries: 0 });

const each = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const template = (text: string) => ({ type: 'template', name: 'Say', config: { template: text } });
const inner = (n: number) => ({ type: 'flow', name: 'Inner', config: { flowId: `Flow ${n}` } });

/** 50 flows, every other of which runs the one before; 20 agents that have each other and flows; 10 products. */
const document = {
  flows: each(50, (n) => ({
    name: `Flow ${n}`,
    flowSteps: n % 2 === 0 ? [template(`This is ${n}`)] : [inner(n - 1), template(`After ${n - 1}`)],
  })),
  agents: each(20, (n) => ({
    name: `Agent ${n}`,
    config: { systemPrompt: `You are ${n}.` },
    capabilities: [
      { toolName: 'run', flowId: `Flow ${n}` },
      ...(n > 0 ? [{ toolName: 'ask', subAgentId: `Agent ${n - 1}` }] : []),
    ],
  })),
  products: each(10, (n) => ({
    name: `Product ${n}`,
    capabilities: [
      { capabilityName: 'run', flowId: `Flow ${n}` },
      { capabilityName: 'ask', agentId: `Agent ${n}` },
    ],
    surfaces: [{ name: 'API', type: 'api' }],
  })),
};

test(
  `a workspace of 80 parts survives ${kills} kills in the middle of its apply, and is the same elsewhere`,
  async () => {
    const other = environment();
    let stack = await start(other);
    let killed = 0;
    for (let n = 0; n < kills; n++) {
      const applying = clientOf(stack.facts).workspace.apply({ body: { document } });
      applying.catch(() => {});
      await sleep(50 + Math.random() * 800);
      stack.child.kill('SIGKILL');
      killed++;
      stack = await start(other);
    }
    const client = clientOf(stack.facts);
    const began = performance.now();
    await client.workspace.apply({ body: { document } });
    const { changes } = await client.workspace.plan({ body: { document } });
    expect(changes.filter(({ action }) => action !== 'none')).toEqual([]);
    const exported = await client.workspace.get();
    const lists = exported as unknown as Record<string, { name: string }[]>;
    for (const kind of ['flows', 'agents', 'products'] as const) {
      const names = (lists[kind] ?? []).map(({ name }) => name);
      expect(names.toSorted()).toEqual(document[kind].map(({ name }) => name).toSorted());
    }
    const elsewhere = clientOf((await start(environment())).facts);
    await elsewhere.workspace.apply({ body: { document: exported } });
    expect(await elsewhere.workspace.get()).toEqual(exported);
    process.stderr.write(`${killed} kills, ${Math.round(performance.now() - began)} ms afterwards\n`);
  },
  120_000 + kills * 20_000,
);
