import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import { expectStatus } from '../flows/flows.ts';
import { eventually } from '../stack/eventually.ts';
import type { Tenant } from '../stack/stack.ts';
import type { ReceivedExport } from './otlp-receiver.ts';

/** A collector of spans of its own, that answers in these ways in turn. */
export function newCollector(answers = '200') {
  const name = randomUUID();
  const received = async (): Promise<ReceivedExport[]> =>
    (await fetch(`${inject('otlpUrl')}/${name}`)).json() as Promise<ReceivedExport[]>;
  return {
    endpoint: `${inject('otlpUrl')}/${name}/${answers}`,
    received,
    /** What came, as soon as so much did. */
    got: (count = 1) =>
      eventually(async () => {
        const all = await received();
        expect(all).toHaveLength(count);
        return all;
      }),
  };
}

export const setTelemetry = ({ call }: Pick<Tenant, 'call'>, body: object) =>
  expectStatus(200, call('PUT', '/v1/telemetry', { body }));
