import { expect } from 'vitest';
import { expectStatus } from '../flows/flows.ts';
import type { ScriptedTurn } from '../models/scripted-model.ts';
import { newTenant, type Tenant } from '../stack/stack.ts';
import {
  answered,
  approve,
  createScriptedAgent,
  followed,
  resumeAgentRun,
  run,
  scripted,
} from './agent-runs.ts';

type ScenarioAnswer = 'approve' | { deny?: string } | { output: unknown };

/** A run of an agent through HTTP, and what it must have come to. */
export interface Scenario {
  name: string;
  /** Members of the agent's config; made with what a tenant needs first, such as a tool. */
  config?: object | ((tenant: Tenant) => Promise<object>);
  /** A text is sent as it is. */
  script: ScriptedTurn[] | string;
  options?: object;
  more?: object;
  /** Of the waits, one after the other: each of the first wait that is left. */
  answers?: ScenarioAnswer[];
  /** What completes something, without the start: `turn`, `tool`, `pause`, `await`, `decision`, `note`, … and `end`. */
  events: string;
  status?: 'completed' | 'failed' | 'cancelled' | 'paused';
  stopReason?: string | null;
  iterations: number;
  result?: unknown;
  error?: unknown;
  cost?: string | null;
  /** Of the calls on record, in their order: the tool and its end, or the text that its error holds. */
  calls?: [tool: string, end: string][];
}

const shortNames: Record<string, string> = {
  turn_complete: 'turn',
  tool_complete: 'tool',
  approval_start: 'approval',
  await: 'await',
  approval_complete: 'decision',
  custom: 'note',
  execution_complete: 'end',
};

export async function play(scenario: Scenario): Promise<void> {
  const { script, options, more, answers = [] } = scenario;
  const tenant = await newTenant();
  const config = typeof scenario.config === 'function' ? await scenario.config(tenant) : scenario.config;
  const agent = await createScriptedAgent(tenant, config);
  const content = typeof script === 'string' ? script : scripted(...script);
  let outcome = await answered(run(tenant, agent.id, content, { ...more, options }));
  for (const answer of answers) {
    const { executionId, awaits } = outcome.pausedReason;
    outcome = await answered(sent(tenant, agent.id, executionId, awaits[0], answer));
  }
  await expectRecorded(tenant, agent.id, outcome, scenario);
}

interface Awaited {
  approvalId?: string;
  toolCallId: string;
}

function sent(
  tenant: Tenant,
  agentId: string,
  executionId: string,
  { approvalId, toolCallId }: Awaited,
  answer: ScenarioAnswer,
) {
  if (answer === 'approve')
    return approve(tenant, agentId, { executionId, approvalId, decision: 'approved' });
  if ('output' in answer) {
    return resumeAgentRun(tenant, agentId, { executionId, toolOutputs: { [toolCallId]: answer.output } });
  }
  const { deny: reason } = answer;
  return approve(tenant, agentId, { executionId, approvalId, decision: 'denied', reason });
}

/** The response, the events, the execution and its tool calls say the same. */
export async function expectRecorded(
  tenant: Tenant,
  agentId: string,
  outcome: { executionId: string } & Record<string, unknown>,
  expected: Omit<Scenario, 'script'>,
): Promise<void> {
  const { events, calls = [], iterations, cost, result, error } = expected;
  const { status = 'completed', stopReason = status === 'paused' ? null : 'end_turn' } = expected;
  const { executionId } = outcome;
  const shown = (await followed(tenant, agentId, executionId)).flatMap(({ type }) => shortNames[type] ?? []);
  expect(shown.join(' ')).toBe(events);
  expect(outcome).toMatchObject({
    status,
    stopReason,
    iterations,
    success: status !== 'failed' && status !== 'cancelled',
  });
  if (result !== undefined) expect(outcome.result).toEqual(result);
  expect(outcome.error).toEqual(error ?? null);
  const path = `/v1/agents/${agentId}/executions/${executionId}`;
  const execution = await expectStatus(200, tenant.call('GET', path));
  expect(execution).toMatchObject({ status, stopReason, iterations, error: error ?? null });
  expect(execution.iterationDetails).toHaveLength(iterations);
  if (status !== 'paused') expect(execution.totalCost).toEqual(outcome.totalCost);
  if (cost !== undefined) expect(outcome.totalCost).toEqual(cost);
  const { toolCalls } = await expectStatus(200, tenant.call('GET', `${path}/tool-calls`));
  expect(
    toolCalls.map(
      (call: { toolName: string; status: string; errorMessage: string | null }, index: number) => {
        const end = calls[index]?.[1] ?? '';
        return [call.toolName, call.errorMessage?.includes(end) ? end : (call.errorMessage ?? call.status)];
      },
    ),
  ).toEqual(calls);
}
