import * as z from 'zod';
import { Warning } from '../../shared/core/warnings.ts';
import type { FactOf } from '../../shared/execution/agent-loop/facts.ts';
import { executionDetails } from '../../shared/execution/agent-runs/execution-details.ts';
import type { LoadedRun } from '../../shared/execution/agent-runs/run-log.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import {
  countResponseBytes,
  responseBytesMax,
  takeWithinBytes,
} from '../../shared/platform/http/responses/body-sizes.ts';
import { ExecutionParams } from '../agent-runs/schemas.ts';
import { ExecutionRow, executionExample, toExecutionRow } from './schemas.ts';

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

const example = {
  ...executionExample,
  inputMessages: [{ role: 'user', content: 'What is 6 * 7?' }],
  error: null,
  finalOutput: 'It is 42.',
  iterationDetails: [
    {
      iteration: 1,
      turnId: 'turn_01k9m4v7d3x8qz5w2r6t0y1hbn',
      content: '',
      reasoning: '',
      modelUsed: 'openai/gpt-5-mini',
      stopReason: 'tool_calls',
      inputTokens: 620,
      outputTokens: 22,
      cost: '0.00206',
      durationMs: 1_890,
      completedAt: '2026-11-22T17:55:02.340Z',
      toolCalls: [{ id: 'call_01k9m4v7d3x8qz5w2r6t0y1hbn', toolName: 'calculator' }],
    },
  ],
  loopConfig: { maxTurns: 20, timeoutMs: 600_000 },
  agentVersionId: 'agentver_01k9m4v7d3x8qz5w2r6t0y1hbn',
  warnings: [],
  compactions: [],
};

const ExecutionDetails = ExecutionRow.extend({
  error: z.string().nullable(),
  finalOutput: z.unknown().meta({ description: 'Null if over 1 MB' }),
  iterationDetails: z.array(Iteration).meta({ description: 'The first turns, up to 1 MB' }),
  loopConfig: z.object({ maxTurns: z.int(), timeoutMs: z.int() }),
  agentVersionId: z.string().nullable(),
  warnings: z.array(Warning).meta({ description: 'What went otherwise than asked, and did not fail' }),
  compactions: z
    .array(z.object({ at: z.string(), summary: z.string() }))
    .meta({ description: 'Where older messages were replaced by a summary, up to 1 MB' }),
}).meta({ id: 'AgentExecutionDetails', examples: [example] });

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
    const [spec, messages] = await Promise.all([details.spec(execution), details.messages(execution)]);
    return {
      ...toExecutionRow(execution),
      agentSpec: ifItFits(spec),
      inputMessages: ifItFits(messages),
      error: execution.error,
      iterations: state.turns,
      warnings: [...state.totals.warnings],
      finalOutput: ifItFits(state.end?.output ?? null),
      iterationDetails: takeWithinBytes(factsOfType(run, 'turn').map(toIteration), partBytesMax),
      loopConfig: { maxTurns: execution.turnsMax, timeoutMs: execution.timeoutMs },
      agentVersionId: execution.agentVersionId,
      compactions: takeWithinBytes(
        factsOfType(run, 'compaction').map(({ at, summary }) => ({ at, summary })),
        partBytesMax,
      ),
    };
  },
});

/** Each of the five parts of a response that may be long. */
const partBytesMax = responseBytesMax / 5;

const ifItFits = (value: unknown) => (countResponseBytes(value) <= partBytesMax ? value : null);

const factsOfType = <Type extends 'turn' | 'compaction'>({ log }: LoadedRun, type: Type) =>
  log.flatMap(({ fact }) => (fact.type === type ? [fact as FactOf<Type>] : []));

const toIteration = (turn: FactOf<'turn'>): z.input<typeof Iteration> => ({
  iteration: turn.turn,
  turnId: turn.turnId,
  content: turn.text,
  reasoning: turn.reasoning,
  modelUsed: turn.modelUsed,
  stopReason: turn.stopReason,
  durationMs: turn.durationMs,
  ...turn.spent,
  completedAt: turn.at,
  toolCalls: turn.calls.map(({ id, name }) => ({ id, toolName: name })),
});

export const handler = toLambda(getAgentExecution);
