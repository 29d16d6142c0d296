import { expect } from 'vitest';
import { eventually } from '../stack/eventually.ts';
import type { CallResponse, Tenant } from '../stack/stack.ts';

type Caller = Pick<Tenant, 'call'>;

export const template = (text: string, outputVariable?: string) => ({
  type: 'template',
  name: text,
  config: { template: text, ...(outputVariable && { outputVariable }) },
});

/** The body of an answer that must have this status. */
export async function expectStatus(status: number, answer: Promise<CallResponse>) {
  const { status: actual, body } = await answer;
  expect(actual, JSON.stringify(body)).toBe(status);
  return body;
}

export const createFlow = (
  { call }: Caller,
  flowSteps: object[] = [template('hello {{ _record.name }}', 'greeting')],
  name = 'A flow',
) => expectStatus(201, call('POST', '/v1/flows', { body: { name, flowSteps } }));

export async function publishedFlow(caller: Caller, flowSteps?: object[]) {
  const flow = await createFlow(caller, flowSteps);
  await expectStatus(200, caller.call('POST', `/v1/flows/${flow.id}/publish`));
  return flow;
}

/** `count` records of a type, through one upload. */
export async function createRecords(
  { call }: Caller,
  type: string,
  count: number,
  metadata: (n: number) => string = String,
) {
  const rows = Array.from({ length: count }, (_, n) => `${type}-${n},${metadata(n)}`);
  const body = new FormData();
  body.set('file', new Blob([`name,value\n${rows.join('\n')}\n`]), 'records.csv');
  body.set('nameColumn', 'name');
  body.set('typeValue', type);
  const answer = await expectStatus(201, call('POST', '/v1/records/upload-csv', { body }));
  expect(answer.created).toBe(count);
  return answer.records as { id: string; name: string }[];
}

export const runFlowOnRecords = ({ call }: Caller, flowId: string, recordType: string) =>
  call('POST', `/v1/flows/${flowId}/run-on-record-type`, { body: { recordType } });

export interface BatchStatus {
  status: string;
  processedRecords: number;
  progress: number;
  completedAt?: string;
}

/** Waits for a batch to be over, and tells what it sees. @throws when that takes more than half a minute. */
export async function finishedBatch(
  { call }: Caller,
  batchId: string,
  onStatus?: (status: BatchStatus) => void,
) {
  return eventually(async () => {
    const status = await expectStatus(200, call('GET', `/v1/batch/status/${batchId}`));
    onStatus?.(status);
    if (['scheduled', 'running'].includes(status.status)) throw new Error(`The batch ${batchId} is not over`);
    return status;
  }, 30_000);
}
