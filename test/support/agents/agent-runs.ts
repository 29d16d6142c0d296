import { expectStatus } from '../flows/flows.ts';
import type { ScriptedTurn } from '../models/scripted-model.ts';
import { openEvents, readEvents } from '../stack/sse.ts';
import { stack, type Tenant } from '../stack/stack.ts';

/** The user's message for the model `scripted`, which does one turn of it after the other. */
export const scripted = (...turns: ScriptedTurn[]) => JSON.stringify(turns);

/** An agent with the model `scripted`, and as many turns as it needs. */
export const createScriptedAgent = (tenant: Tenant, config: object = {}, more: object = {}) =>
  expectStatus(
    201,
    tenant.call('POST', '/v1/agents', {
      body: {
        name: 'Agent',
        config: { model: 'generic-openai/scripted', loopConfig: { maxTurns: 20 }, ...config },
        ...more,
      },
    }),
  );

/** Runs an agent to the end of its response, which is JSON. */
export const run = (tenant: Tenant, agentId: string, content: string, more: Record<string, unknown> = {}) => {
  const { options, ...rest } = more as { options?: object };
  return tenant.call('POST', `/v1/agents/${agentId}/execute`, {
    body: {
      messages: [{ role: 'user', content }],
      ...rest,
      options: { streamResponse: false, ...options },
    },
  });
};

export const answered = (response: ReturnType<typeof run>) => expectStatus(200, response);

/** The events of a run, to their end. */
export async function streamed(tenant: Tenant, agentId: string, content: string, more: object = {}) {
  const body = { messages: [{ role: 'user', content }], ...more };
  const { events } = await openEvents(tenant.token, `/v1/agents/${agentId}/execute`, body);
  return (await Array.fromAsync(events)).map(({ data }) => data);
}

/** Continues a paused run. */
export const approve = (tenant: Tenant, agentId: string, body: object) =>
  tenant.call('POST', `/v1/agents/${agentId}/approve`, { body: { streamResponse: false, ...body } });
export const resumeAgentRun = (tenant: Tenant, agentId: string, body: object) =>
  tenant.call('POST', `/v1/agents/${agentId}/resume`, { body: { streamResponse: false, ...body } });

/** The events of a run after a number, until it ends or pauses. */
export async function followed(
  tenant: Tenant,
  agentId: string,
  executionId: string,
  after?: number,
  more: Record<string, string> = {},
) {
  const query = after === undefined ? '' : `?after=${after}`;
  const response = await fetch(
    `${stack().url}/v1/agents/${agentId}/executions/${executionId}/events${query}`,
    { headers: { authorization: `Bearer ${tenant.token}`, ...more } },
  );
  const events = readEvents(response.body as ReadableStream<Uint8Array>);
  return (await Array.fromAsync(events)).map(({ data }) => data);
}

/** A script's turn that calls tools. */
export const calls = (...toolCalls: [name: string, args?: object | string][]): ScriptedTurn => ({
  toolCalls: toolCalls.map(([name, args = {}]) => ({ name, arguments: args })),
});
