import * as z from 'zod';
import type { FactOf } from '../../shared/execution/agent-loop/facts.ts';
import { executionDetails } from '../../shared/execution/agent-runs/execution-details.ts';
import type { LoadedRun } from '../../shared/execution/agent-runs/load-run.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { ExecutionParams, ExecutionRow, toExecutionRow } from './schemas.ts';

const Iteration = z.object({
  iteration: z.int(),
  turnId: z.string(),
  content: z.string(),
  reasoning: z.string(),
  modelUsed: z.string(),
  stopReason: z.string(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cost: z.string().nullable(),
  durationMs: z.int(),
  completedAt: z.string(),
  toolCalls: z.array(z.object({ id: z.string(), toolName: z.string() })),
});

const ExecutionDetails = ExecutionRow.extend({
  error: z.string().nullable(),
  finalOutput: z.unknown(),
  iterationDetails: z.array(Iteration),
  loopConfig: z.object({ maxTurns: z.int(), timeoutMs: z.int() }),
  agentVersionId: z.string().nullable(),
  compactions: z
    .array(z.object({ at: z.string(), summary: z.string() }))
    .meta({ description: 'Where older messages were replaced by a summary' }),
}).meta({ id: 'AgentExecutionDetails' });

export const getAgentExecution = defineEndpoint({
  id: 'agent-executions.get',
  method: 'GET',
  path: '/v1/agents/{id}/executions/{executionId}',
  permission: 'AGENTS:READ',
  summary: 'Get an execution of an agent',
  description: 'With every turn. Tokens and costs of tools and sub-agents are in the totals only.',
  params: ExecutionParams,
  response: { kind: 'json', bodies: { 200: ExecutionDetails } },
  errors: [400, 404],
  needs: { details: executionDetails },

  async handle({ params: { id, executionId } }, { details }) {
    const run = await details.load(id, executionId);
    const { execution, state } = run;
    return {
      ...toExecutionRow(execution),
      inputMessages: await details.messages(execution),
      error: execution.error,
      iterations: state.turns,
      finalOutput: state.end?.output ?? null,
      iterationDetails: factsOfType(run, 'turn').map(toIteration),
      loopConfig: { maxTurns: execution.turnsMax, timeoutMs: execution.timeoutMs },
      agentVersionId: execution.agentVersionId,
      compactions: factsOfType(run, 'compaction').map(({ at, summary }) => ({ at, summary })),
    };
  },
});

const factsOfType = <Type extends 'turn' | 'compaction'>({ log }: LoadedRun, type: Type) =>
  log.flatMap(({ fact }) => (fact.type === type ? [fact as FactOf<Type>] : []));

const toIteration = (turn: FactOf<'turn'>): z.input<typeof Iteration> => ({
  ...{ iteration: turn.turn, turnId: turn.turnId, content: turn.text, reasoning: turn.reasoning },
  ...{ modelUsed: turn.modelUsed, stopReason: turn.stopReason, durationMs: turn.durationMs },
  ...turn.spent,
  completedAt: turn.at,
  toolCalls: turn.calls.map(({ id, name }) => ({ id, toolName: name })),
});

export const handler = toLambda(getAgentExecution);
