import { expectStatus } from '../flows/flows.ts';
import type { Tenant } from '../stack/stack.ts';

type Caller = Pick<Tenant, 'call'>;

export const conversationsPath = '/v1/conversations';

/** A conversation made through the API. */
export const createConversation = ({ call }: Caller, body: object = {}) =>
  expectStatus(201, call('POST', conversationsPath, { body }));

/** Messages m0, m1, …, of the user and the assistant in turn. */
export const alternatingMessages = (count: number, text = (n: number) => `message ${n}`) =>
  Array.from({ length: count }, (_, n) => ({
    id: `m${n}`,
    role: n % 2 ? ('assistant' as const) : ('user' as const),
    content: text(n),
  }));

export const replaceMessages = ({ call }: Caller, id: string, messages: object[]) =>
  expectStatus(200, call('PUT', `${conversationsPath}/${id}`, { body: { messages } }));
