import { expectStatus } from '../flows/flows.ts';
import type { Tenant } from '../stack/stack.ts';

type Caller = Pick<Tenant, 'call'>;

/** An agent made through the API. */
export const createAgent = ({ call }: Caller, changes: object = {}) =>
  expectStatus(201, call('POST', '/v1/agents', { body: { name: 'An agent', ...changes } }));

/** What a PUT of these changes returns. */
export const updateAgent = ({ call }: Caller, id: string, changes: object) =>
  expectStatus(200, call('PUT', `/v1/agents/${id}`, { body: changes }));

/** @returns the id of the published version. */
export async function publishAgent({ call }: Caller, id: string): Promise<string> {
  const { publishedVersionId } = await expectStatus(200, call('POST', `/v1/agents/${id}/publish`));
  return publishedVersionId;
}
