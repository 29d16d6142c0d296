import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { modelPorts } from '../../shared/adapters/models/model-ports.ts';
import type { ModelEvent, ModelPort } from '../../shared/adapters/ports/model-port.ts';
import type { Ports } from '../../shared/adapters/ports/ports.ts';
import { sandbox, tenantSandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { newId } from '../../shared/core/ids.ts';
import { nothingSpent } from '../../shared/execution/agent-loop/facts.ts';
import { runLoop } from '../../shared/execution/agent-loop/loop.ts';
import { createInitialState } from '../../shared/execution/agent-loop/state.ts';
import { inlineAgent, inlineContent } from '../../shared/execution/agent-runs/agent-input.ts';
import { executeAgentRun } from '../../shared/execution/agent-runs/execute-agent-run.ts';
import { startRun } from '../../shared/execution/agent-runs/start-run.ts';
import type { RunnableTool } from '../../shared/execution/tools/call-tool.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { tenantTable } from '../../shared/platform/data/table.ts';
import { readAgentResult } from '../../shared/protocols/json/read-result.ts';

const question = 'What is six times seven?';
const instructions = 'You are a helpful assistant. Use your tools.';
const answer = 'The answer is 42, as everybody knows who has read the book.';
const args = { expression: '6 * 7' };
const result = { result: '42', number: 42 };
const parameters = {
  type: 'object',
  properties: { expression: { type: 'string' } },
  required: ['expression'],
} as const;

/** The model of `agent-models.ts` over HTTP. */
export const httpModel = (url: string): ModelPort =>
  modelPorts(async (modelId) => ({
    provider: 'generic-openai',
    modelId,
    keySource: 'platform',
    credentials: { baseUrl: url },
  })).model;

export const theirHttpModel = (baseURL: string) => createOpenAICompatible({ name: 'bench', baseURL })('any');

const usage = { inputTokens: 20, outputTokens: 10 };

/** The same model in this process. */
export const memoryModel: ModelPort = {
  async *stream({ messages }): AsyncGenerator<ModelEvent> {
    const source = { modelUsed: 'memory/any', keySource: 'platform' as const };
    const finish = { type: 'finish' as const, ...source, usage, cost: null };
    if (messages.at(-1)?.role === 'tool') {
      yield { type: 'text-delta', text: answer };
      yield { ...finish, text: answer, message: { role: 'assistant', content: answer }, stopReason: 'stop' };
    } else {
      const call = { type: 'tool-call' as const, id: 'call_1', name: 'calculator', input: args };
      yield { ...call, text: JSON.stringify(args) };
      const message = { role: 'assistant' as const, content: [call] };
      yield { ...finish, text: '', message, stopReason: 'tool-calls' };
    }
  },
  alternatives: async () => [],
  limits: async () => ({}),
  embeddingModel: async () => 'none',
  identity: async (model) => ({ model }),
};

export const theirMemoryModel: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'memory',
  modelId: 'any',
  supportedUrls: {},
  async doGenerate({ prompt }): Promise<LanguageModelV4GenerateResult> {
    const isLast = prompt.at(-1)?.role === 'tool';
    return {
      content: isLast
        ? [{ type: 'text', text: answer }]
        : [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'calculator', input: JSON.stringify(args) }],
      finishReason: { unified: isLast ? 'stop' : 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 20, noCache: 20, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 10, text: 10, reasoning: 0 },
      },
      warnings: [],
    };
  },
  doStream: () => Promise.reject(new Error('Only whole responses are compared')),
};

/** A scope whose table is a client that answers at once: all of our code, and nothing of the SDK. */
export function memoryScope(): Scope {
  const client = { send: async () => ({}) };
  return { table: tenantTable(client as never, 'none', 'user:bench'), now: () => new Date(), newId };
}

interface StartedRunOptions {
  toolIds: string[];
  streamed: boolean;
  /** The most calls of tools. */
  calls?: number;
  ports?: Partial<Ports>;
}

/** Starts a run as an endpoint does. */
export async function startedRun(
  scope: Scope,
  model: ModelPort,
  { toolIds, streamed, calls = 4, ports: more = {} }: StartedRunOptions,
) {
  const agent = inlineAgent(
    'Bench',
    inlineContent({
      model: 'generic-openai/any',
      systemPrompt: instructions,
      loopConfig: { maxTurns: calls + 1 },
      tools: { toolIds, maxToolCalls: calls },
    }),
  );
  const ports = {
    model,
    now: scope.now,
    sandbox: tenantSandbox('bench'),
    ...more,
  } as Partial<Ports> as Ports;
  const { execution, input } = await startRun(
    scope,
    {
      agent,
      owner: { userId: 'bench', organizationId: null },
      permissions: [],
      surfaceType: 'api',
      origin: { trigger: { type: 'api' } },
      background: false,
      messages: [{ role: 'user', content: question }],
    },
    sandbox(scope),
  );
  const run = { execution, input, content: agent.content, log: [], sentSeq: -1, mayHaveBegun: false };
  return { id: execution.id, events: executeAgentRun(scope, run, { ports, streamed }) };
}

/** A run of two turns, as an endpoint executes it. */
export async function ourRun(scope: Scope, model: ModelPort): Promise<void> {
  const run = await startedRun(scope, model, { toolIds: ['builtin:calculator'], streamed: false });
  const outcome = await readAgentResult(run.id, run.events);
  if (outcome.iterations !== 2 || outcome.error !== null) throw new Error(JSON.stringify(outcome));
}

const calculator: RunnableTool = {
  id: 'builtin:calculator',
  name: 'calculator',
  description: 'Calculates exactly',
  parameters,
  type: 'builtin',
  repeatable: true,
  plan: async () => ({ request: {}, perform: async () => ({ output: result }) }),
  preview: async () => ({}),
};

/** The loop alone: nothing is recorded, nobody listens, and the tool does not check its arguments. */
export async function ourLoop(model: ModelPort): Promise<void> {
  const loop = {
    model,
    tools: [calculator],
    limits: { callsMax: 10 },
    turnsMax: 5,
    newId,
    warn() {},
    now: () => new Date(),
    request: { model: 'generic-openai/any', streamed: false },
    signal: new AbortController().signal,
    spent: () => nothingSpent,
  };
  const events = runLoop(
    loop,
    createInitialState([
      { role: 'system', content: instructions },
      { role: 'user', content: question },
    ]),
  );
  let event = await events.next();
  while (!event.done) event = await events.next();
  if (event.value.turns !== 2 || event.value.end?.error !== null) throw new Error('The loop failed');
}

/** The tool loop of the AI SDK. */
export async function theirRun(model: LanguageModelV4): Promise<void> {
  const { text, steps } = await generateText({
    model,
    system: instructions,
    prompt: question,
    stopWhen: stepCountIs(5),
    tools: {
      calculator: tool({
        description: 'Calculates exactly',
        inputSchema: jsonSchema<{ expression: string }>({ ...parameters, required: ['expression'] }),
        execute: async () => result,
      }),
    },
  });
  if (steps.length !== 2 || !text) throw new Error('The loop of the AI SDK did not do what ours does');
}
