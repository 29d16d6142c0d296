import { createFlow, expectStatus } from '../flows/flows.ts';
import type { Tenant } from '../stack/stack.ts';

type Caller = Pick<Tenant, 'call'>;

export const tokensPath = '/v1/client-tokens';
export const tokenBody = { name: 'Shop', allowedOrigins: ['example.com'] };

/** A client token made through the API, with its value. */
export async function createToken({ call }: Caller, changes: object = {}) {
  const body = { ...tokenBody, ...changes };
  return expectStatus(201, call('POST', tokensPath, { body }));
}

/** A client token of a new flow. */
export async function tokenOfFlow(caller: Caller, changes: object = {}) {
  const flow = await createFlow(caller);
  const { clientToken, token } = await createToken(caller, { flowIds: [flow.id], ...changes });
  return { flow, token: token as string, ...clientToken, path: `${tokensPath}/${clientToken.id}` };
}
