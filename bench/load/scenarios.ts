import { type LoadApi, waitForBatches } from './batches.ts';

export type ScenarioName = 'read' | 'write' | 'list' | 'run' | 'dispatch';

/** A scenario that is ready: what it sends, and what it leaves behind. */
interface Ready {
  send: (api: LoadApi, index: number) => Promise<unknown>;
  /** Waits for what the requests started. @returns what to report of it. */
  settle?: (api: LoadApi) => Promise<string>;
  created: LoadFixtures;
}
export interface LoadFixtures {
  flows: string[];
  records: string[];
}

interface Scenario {
  what: string;
  prepare: (api: LoadApi, records: number) => Promise<Ready>;
}

const type = `load-${process.pid}-${Date.now()}`;
const step = { type: 'template', name: 'Greet', config: { template: 'Hello {{ who }}' } } as const;
const metadata = { who: 'Ada', note: 'x'.repeat(200) };

export const scenarios: Record<ScenarioName, Scenario> = {
  read: {
    what: 'GET a flow',
    async prepare(api) {
      const id = await flowIn(api);
      const send = ({ call }: LoadApi) => call('flows.get', { params: { id } });
      return { send, created: { flows: [id], records: [] } };
    },
  },
  write: {
    what: 'create a record',
    async prepare() {
      const created: LoadFixtures = { flows: [], records: [] };
      const send = async (api: LoadApi, index: number) => created.records.push(await recordIn(api, index));
      return { send, created };
    },
  },
  list: {
    what: 'list ten records',
    async prepare(api, records) {
      const created = { flows: [], records: await recordsIn(api, records) };
      const send = ({ call }: LoadApi) => call('records.list', { query: { type, limit: 10 } });
      return { send, created };
    },
  },
  run: {
    what: 'start a batch of a local flow',
    async prepare(api, records) {
      const id = await flowIn(api);
      await api.call('flows.publish', { params: { id } });
      const created = { flows: [id], records: await recordsIn(api, records) };
      const batches: string[] = [];
      const send = async ({ call }: LoadApi) => {
        const body = { recordType: type };
        const { batchId } = await call('flows.run-on-record-type', { params: { id }, body });
        batches.push(batchId);
      };
      return { send, created, settle: (later: LoadApi) => waitForBatches(later, batches) };
    },
  },
  dispatch: {
    what: 'dispatch a local flow',
    async prepare() {
      const flow = { name: 'load', steps: [step] };
      const body = { flow, inputs: metadata, options: { streamResponse: false } };
      const send = ({ call }: LoadApi) => call('dispatch.run', { body });
      return { send, created: { flows: [], records: [] } };
    },
  },
};

const flowIn = async (api: LoadApi) =>
  (await api.call('flows.create', { body: { name: type, flowSteps: [step] } })).id;

const recordIn = async (api: LoadApi, index: number) =>
  (await api.call('records.create', { body: { name: `${type}-${index}`, type, metadata } })).id;

async function recordsIn(api: LoadApi, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await recordIn(api, index));
  return ids;
}
