import { expect, test } from 'vitest';
import { respondToRpc } from '../../../../shared/adapters/a2a-server/respond.ts';
import type { ServedAgent } from '../../../../shared/adapters/a2a-server/served-agent.ts';
import { logged } from '../../../support/data/log-lines.ts';

/** An agent at which the SDK fails by itself: it reads the card before it asks for anything. */
const broken = {
  get card(): never {
    throw new TypeError("Cannot read properties of undefined (reading 'name')");
  },
} as unknown as ServedAgent;

test('what the SDK fails at has the id of the request, and not its reason', async () => {
  const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] };
  const asked = { jsonrpc: '2.0', id: 1, method: 'message/stream', params: { message } };
  const gone = new AbortController();
  const request = { message: asked, version: undefined, gone };
  let text = '';
  const { lines } = await logged(async () => {
    const { stream } = await respondToRpc({ ...request, requestId: 'request-1' }, broken);
    for await (const chunk of stream) text += chunk;
  });
  expect(JSON.parse(text)).toMatchObject({
    id: 1,
    error: { code: -32_603, message: 'Internal error. Request request-1' },
  });
  expect(text).not.toContain('undefined');
  expect(JSON.stringify(lines)).toContain('Cannot read properties');
});
