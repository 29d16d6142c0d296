import Big from 'big.js';
import type { HttpResponse } from '../../../../shared/adapters/ports/http-port.ts';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import type { FlowRecord } from '../../../../shared/adapters/ports/records-port.ts';
import { noSpending } from '../../../../shared/adapters/ports/spending.ts';
import type { StoredTool } from '../../../../shared/adapters/ports/tools-port.ts';
import type { KnownWait } from '../../../../shared/adapters/ports/waits-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';
import { fakeModel, promptText } from '../../../support/models/model-ports.ts';

/** What every secret of this world has. */
export const secretValue = 'hush, "dear"';

/** Whatever is asked of this world, it answers the same to the same question, and notes that it was asked. */
export function notingWorld() {
  const asked: string[] = [];
  let at = Date.parse('2026-01-01T00:00:00.000Z');

  /** Refuses what speaks of failing; for good, or so that it may be tried again. */
  const note = (port: string, question: unknown) => {
    const words = JSON.stringify(question);
    asked.push(`${port} ${words}`);
    if (words.includes('fail')) throw new StepError('busy', { retryable: !words.includes('for good') });
  };
  const thing: FlowRecord = {
    id: 'record_01k9m4v7d3x8qz5w2r6t0y1hbn',
    type: 'thing',
    name: 'one',
    metadata: { size: 5 },
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  const find = (selector: object) => ('name' in selector && selector.name === 'none' ? undefined : thing);
  const answerOf = (url: string): HttpResponse => {
    const isPage = url.includes('/page');
    const text = isPage ? '<h1>Page</h1><p>Words</p>' : '[{"n":1}]';
    const contentType = isPage ? 'text/html' : 'application/json';
    return { status: 200, headers: { 'content-type': contentType }, url, bytes: Buffer.from(text), text };
  };

  const double = (id: string): StoredTool => ({
    id,
    name: 'Double',
    description: 'Doubles a number',
    toolType: 'custom',
    parametersSchema: { properties: { n: { type: 'number' } }, required: ['n'] },
    config: { code: 'n * 2' },
    isActive: true,
  });

  const open = new Map<string, KnownWait>();
  const waits: Ports['waits'] = {
    async open(path, wait) {
      const known = open.get(path);
      if (known) return known;
      note('open', await wait());
      const expiresAt = new Date(at + 300_000).toISOString();
      const opened = { expiresAt, callbackUrl: 'https://example.com/callback', canResume: false };
      open.set(path, opened);
      return opened;
    },
    async announced(path) {
      open.set(path, { ...(open.get(path) as KnownWait), isAnnounced: true });
    },
    async expire(path, answer) {
      return { ...(open.get(path) as KnownWait), answer };
    },
    async close(path) {
      open.delete(path);
    },
  };
  const ports: Ports = {
    now: () => new Date(at),
    shown: (text) => text,
    warn() {},
    secrets: async (keys) => new Map(keys.map((key) => [key, { value: secretValue, version: '1' }])),
    model: fakeModel(
      ({ messages }) => {
        note('model', { messages });
        return promptText(messages.at(-1));
      },
      { modelUsed: 'fake', usage: { inputTokens: 3, outputTokens: 2 }, cost: '0.01' },
    ),
    async embed({ texts }) {
      note('embed', texts);
      const vectors = texts.map((each) => [each.length, 1]);
      return { vectors, modelUsed: 'fake', keySource: 'platform', promptTokens: 3, estimatedCost: '0.01' };
    },
    async fetch({ url, method, body }) {
      note('fetch', { url, method, body });
      return answerOf(url);
    },
    sandbox: testSandbox,
    searchAccount: async () => ({ key: 'key', baseUrl: 'https://search.example.com' }),
    records: {
      async find(selector) {
        note('find', selector);
        return find(selector);
      },
      async search(query) {
        note('search', query);
        return { records: [thing], hasMore: false };
      },
      async *pages() {
        yield Array.from({ length: 3 }, (_, n) => ({ ...thing, name: `thing ${n}` }));
      },
      async *batchRows() {
        yield [{ status: 'completed' }];
      },
      async upsert(record) {
        note('upsert', record);
        return { id: thing.id };
      },
      async update(selector, updates) {
        note('update', { selector, updates });
        const found = find(selector);
        return found && { ...found, metadata: { ...found.metadata, ...updates } };
      },
    },
    vectors: {
      put: async (collection, vectors) => note('put', { collection, vectors }),
      async query(collection, vector, limit) {
        note('query', { collection, vector, limit });
        return [{ id: 'near', score: 1, metadata: {} }];
      },
    },
    memory: {
      async open(profile) {
        note('memory', profile);
        const memory = { id: 'one', text: 'a memory', createdAt: '2026-01-01T00:00:00.000Z', number: 1 };
        return {
          embeddingModel: 'fake',
          memoryCount: 1,
          async save({ text, session }) {
            note('save', { text, session });
            return { id: 'one', isNew: true };
          },
          nearest: async () => [memory],
          after: async () => ({ memories: [memory], through: 1 }),
          summary: async () => undefined,
          storeSummary: async (summary) => note('summary', summary),
          clear: async () => 1,
        };
      },
    },
    assets: {
      read: async () => undefined,
      async store({ filename, contentType, visibility }) {
        note('store', { filename, contentType, visibility });
        return { assetId: 'asset_1', url: 'https://assets.example.com/1', expiresAt: null };
      },
    },
    messages: {
      async email(message) {
        note('email', message);
        return { messageId: 'email-1' };
      },
      async sms(message) {
        note('sms', message);
        return { messageId: 'sms-1' };
      },
      async event(event) {
        note('event', event);
        return { eventId: 'event-1' };
      },
    },
    waits,
    tools: {
      find: async (ids) => new Map(ids.map((id) => [id, double(id)])),
    },
    a2a: {
      async *send({ parts }) {
        yield {
          type: 'end',
          state: 'completed',
          text: JSON.stringify(parts),
          artifacts: [],
          contextId: 'c',
          taskId: 't',
        };
      },
    },
    mcp: {
      listTools: async () => ({ tools: [], omitted: 0 }),
      async callTool({ url, toolName, args }) {
        note('mcp', { url, toolName, args });
        return { output: args };
      },
    },
    flows: {
      async run({ flowId, inputs }) {
        note('flow', { flowId, inputs });
        return { output: inputs };
      },
    },
    agents: {
      versionOf: async (id) => id,
      async run({ agent, message }) {
        note('agent', { agent, message });
        const spending = { ...noSpending, inputTokens: 3, outputTokens: 2, cost: new Big('0.01') };
        return { executionId: 'exec', output: message, error: null, spending };
      },
    },
  };
  return {
    asked,
    ports,
    /** Lets time pass. */
    sleepUntil(until: Date): void {
      at = Math.max(at, until.getTime());
    },
  };
}
