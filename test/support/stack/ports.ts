import type { Ports } from '../../../shared/adapters/ports/ports.ts';
import { testSandbox } from '../flows/sandbox.ts';
import { fakeModel } from '../models/model-ports.ts';

const absent = (what: string) => async (): Promise<never> => {
  throw new TypeError(`There is no ${what} here`);
};

/** A world with nothing in it but the time. A test puts in what its steps may reach. */
// biome-ignore lint/correctness/useYield: it only fails
async function* noPages(): AsyncGenerator<never> {
  throw new TypeError('There are no records here');
}

export const emptyWorld: Ports = {
  now: () => new Date(),
  secrets: async () => new Map(),
  shown: (text) => text,
  warn() {},
  model: fakeModel(absent('model')),
  embed: absent('embedding model'),
  fetch: absent('network'),
  searchAccount: absent('search provider'),
  sandbox: testSandbox,
  records: {
    find: absent('record'),
    search: absent('record'),
    pages: () => noPages(),
    batchRows: () => noPages(),
    upsert: absent('record'),
    update: absent('record'),
  },
  vectors: { put: absent('vector store'), query: absent('vector store') },
  memory: { open: absent('memory') },
  assets: { store: absent('asset store'), read: absent('asset store') },
  messages: { email: absent('mail'), sms: absent('text message'), event: absent('event bus') },
  tools: { find: absent('tool store') },
  a2a: {
    // biome-ignore lint/correctness/useYield: it only fails
    async *send() {
      throw new TypeError('There is no agent here');
    },
  },
  mcp: { listTools: absent('MCP server'), callTool: absent('MCP server') },
  flows: { run: absent('flow') },
  waits: {
    open: absent('wait'),
    announced: absent('wait'),
    expire: absent('wait'),
    close: absent('wait'),
  },
  agents: { run: absent('agent'), versionOf: absent('agent') },
};
