import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createScriptedAgent } from '../../../support/agents/agent-runs.ts';
import { expectStatus } from '../../../support/flows/flows.ts';
import { newTenant, stack } from '../../../support/stack/stack.ts';

const soon = { timeout: 20_000, interval: 100 };

test.each([true, false])(
  'a run ends if its caller leaves at any moment before the response begins (streamed: %s)',
  async (streamResponse) => {
    const tenant = await newTenant();
    const { id } = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' });
    const messages = [{ role: 'user', content: 'Hello' }];
    const body = JSON.stringify({ messages, options: { streamResponse } });
    const leaveAfter = (ms: number) => sendAndLeave(`/v1/agents/${id}/execute`, tenant.token, body, ms);
    await Promise.all(Array.from({ length: 15 }, (_, index) => leaveAfter(index * 4)));
    await vi.waitFor(async () => {
      // Long enough for a run that still starts to show.
      await sleep(500);
      const { data } = await expectStatus(200, tenant.call('GET', `/v1/agents/${id}/executions?limit=50`));
      expect(data.filter(({ status }: { status: string }) => status !== 'cancelled')).toEqual([]);
    }, soon);
  },
);

/** Sends a request whole, and closes the connection after a time. */
async function sendAndLeave(path: string, token: string, body: string, afterMs: number): Promise<void> {
  const { hostname, port } = new URL(stack().url);
  const socket = connect(Number(port), hostname);
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  await sleep(afterMs);
  socket.destroy();
}
