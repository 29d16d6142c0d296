import type { Trace } from '../../../shared/domain/runs/trace.ts';
import type { Tenant } from '../stack/stack.ts';
import { expectStatus } from './flows.ts';
import { expectSound } from './sound-trace.ts';

/** The trace of a run, which must be sound. */
export async function getTrace({ call }: Pick<Tenant, 'call'>, runId: string, query = ''): Promise<Trace> {
  const trace = (await expectStatus(200, call('GET', `/v1/runs/${runId}/trace${query}`))) as Trace;
  expectSound(trace);
  return trace;
}
