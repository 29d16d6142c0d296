/**
 * Runs the prompt step: reads its messages and attachments, opens its tools, asks, and parses the
 * answer.
 * The plan comes first (`readEarlierMessages`, `addAttachments`, `planTools`), with everything rendered. `createAsker`
 * then runs the loop of agents on it, and keeps each turn that called tools, at once if a tool has effects; an attempt
 * after a crash goes on from the kept results and calls no tool twice, while an answer without calls is asked for
 * again.
 * A structured output that does not fit its schema is corrected once, in the same conversation.
 * The loop is in `agent-loop/`.
 */
import * as z from 'zod';
import type {
  JsonSchema,
  ModelMessage,
  ModelReasoning,
  ModelSettings,
} from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { omitUndefined } from '../../core/defined.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { newId } from '../../core/ids.ts';
import { tryParseJson } from '../../core/json/json.ts';
import { stripFence } from '../../core/text.ts';
import { type ContentPart, Message, messageText } from '../../domain/conversations/message.ts';
import { formatInstructions, type PromptConfig, promptStep } from '../../domain/flows/step-types/prompt.ts';
import { credentialField, type McpServer } from '../../domain/flows/steps/mcp-server.ts';
import { toModelReasoning } from '../../domain/flows/steps/reasoning.ts';
import { isOfMcpServer, readBuiltinId } from '../../domain/flows/steps/tool-reference.ts';
import { type Fact, nothingSpent } from '../agent-loop/facts.ts';
import { parseJsonAnswer, parseJsonValues } from '../agent-loop/json-answer.ts';
import { type Loop, runLoop } from '../agent-loop/loop.ts';
import { openProgress, toStepEvent } from '../agent-loop/progress.ts';
import { apply, type RunState, replay } from '../agent-loop/state.ts';
import { findTool } from '../agent-loop/tool-calls.ts';
import { toModelMessages } from '../model-calls/to-model-messages.ts';
import { defineActingRunner, type StepPerforming, type StepPlanning } from '../step-support/step-runner.ts';
import type { RunnableTool } from '../tools/call-tool.ts';

interface Asker {
  /**
   * Asks the model, with its tools. Streams its events, if somebody listens. Tools that an earlier attempt of the step has
   * called are not called again: the model goes on from their results.
   * @returns the text of the answer.
   */
  ask: (messages: readonly ModelMessage[]) => Promise<string>;
  /** Asks for a better answer. */
  correct: (problem: string) => Promise<string>;
}

interface PromptRequest extends Pick<Loop['request'], 'model' | 'settings' | 'reasoning'> {
  format: NonNullable<PromptConfig['responseFormat']>;
}

function createAsker(
  request: PromptRequest,
  { config, ports, signal, emit, turns }: StepPerforming<PromptConfig>,
  tools: readonly RunnableTool[],
): Asker {
  const { model, format, settings, reasoning } = request;
  const loop: Loop = {
    model: ports.model,
    request: {
      model,
      format: typeof format === 'object' ? format : { type: format === 'json' ? 'json' : 'text' },
      reasoning,
      settings,
      promptCaching: config.promptCaching,
      streamed: emit !== undefined,
    },
    tools,
    now: ports.now,
    newId,
    // The meter of the step counts what its model calls cost.
    spent: () => nothingSpent,
    warn: ports.warn,
    signal: AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs ?? 120_000)]),
    limits: toLimits(config),
    toolChoice: config.tools?.toolCallStrategy,
  };
  const facts: Fact[] = [];
  let state: RunState;
  async function record(added: readonly Fact[]): Promise<void> {
    facts.push(...added);
    state = added.reduce(apply, state);
    const calls = added.filter(({ type }) => type === 'turn' || type === 'result');
    if (calls.length > 0)
      await turns.keep(
        [...facts],
        calls.some((fact) => isOfAct(fact, tools)),
      );
  }
  async function goOn(mayHaveBegun: boolean): Promise<string> {
    const progressOf = openProgress({ showsEmptyText: true });
    for await (const event of runLoop(loop, state, mayHaveBegun)) {
      if (event.type === 'facts') await record(event.facts);
      if (!emit) continue;
      for (const progress of progressOf(event)) {
        const shown = toStepEvent(progress);
        if (shown) await emit(shown);
      }
    }
    return state.lastTurn?.text ?? '';
  }
  return {
    ask(messages) {
      facts.push(...keepCallTurns(turns.earlier() as Fact[] | undefined));
      state = replay(messages, facts);
      return goOn(facts.length > 0);
    },
    async correct(text) {
      state = { ...state, end: undefined };
      await record([{ type: 'note', reason: 'correction', text, at: ports.now().toISOString() }]);
      return goOn(false);
    },
  };
}

/** The turns up to the last one that called tools. An answer without calls is asked for again. */
const keepCallTurns = (facts: readonly Fact[] = []): Fact[] =>
  facts
    .slice(0, facts.findLastIndex((fact) => fact.type === 'result' || hasCalls(fact)) + 1)
    .filter(({ type }) => type !== 'end');

const hasCalls = (fact: Fact) => fact.type === 'turn' && fact.calls.length > 0;

/** Whether it is a call, or a result of one, that must not be made again. */
function isOfAct(fact: Fact, tools: readonly RunnableTool[]): boolean {
  const names = fact.type === 'turn' ? fact.calls.map(({ name }) => name) : [];
  if (fact.type === 'result') names.push(fact.toolName);
  return names.some((name) => {
    const tool = findTool(tools, name);
    return tool !== undefined && !tool.repeatable;
  });
}

function toLimits({ tools }: PromptConfig): Loop['limits'] {
  const limits = Object.entries(tools?.perToolLimits ?? {}).map(([name, { maxCalls }]) => [name, maxCalls]);
  return { callsMax: tools?.maxToolCalls ?? 10, callsMaxOf: Object.fromEntries(limits) };
}

/** Unknown members are ignored: the list may come from a record, or from another service. */
const Messages = z.array(z.object(Message.shape));

/** The messages that `previousMessages` names. @throws StepError */
async function readEarlierMessages({ config, renderValue }: StepPlanning<PromptConfig>): Promise<Message[]> {
  if (!config.previousMessages) return [];
  const value = await renderValue(config.previousMessages);
  if (value === null || value === '') return [];
  const { data, error } = Messages.safeParse(typeof value === 'string' ? tryParseJson(value) : value);
  if (data) return data;
  const at = error.issues[0]?.path.join('.');
  throw new StepError(
    `previousMessages must name a list of messages {role, content}, with a text or a list of parts as content${at ? `; see ${at}` : ''}`,
  );
}

async function addAttachments(
  { config: { attachments = [] }, render }: StepPlanning<PromptConfig>,
  prompt: string,
): Promise<string | ContentPart[]> {
  if (attachments.length === 0) return prompt;
  const parts = attachments.map(
    async (part): Promise<ContentPart> =>
      part.type === 'image'
        ? { ...part, image: await render(part.image) }
        : { ...part, data: await render(part.data), filename: await render(part.filename) },
  );
  return [...(await Promise.all(parts)), { type: 'text', text: prompt }];
}

const load = loadOnce(async () => ({
  ...(await import('../tools/open-configured-tools.ts')),
  ...(await import('../tools/tool-name.ts')),
}));

type Tools = NonNullable<PromptConfig['tools']>;

/** The tools as the model will see them: definitions of stored ones, servers with their credentials. Undefined without any. */
async function planTools(step: StepPlanning<PromptConfig>) {
  const { tools } = step.config;
  if (!tools) return undefined;
  const stored = (tools.toolIds ?? []).filter((id) => readBuiltinId(id) === undefined && !isOfMcpServer(id));
  const [definitions, mcpServers] = await Promise.all([
    stored.length > 0 ? step.ports.tools.find(stored) : new Map(),
    Promise.all((tools.mcpServers ?? []).map((server) => openServer(server, step))),
  ]);
  return { ...tools, mcpServers, definitions: Object.fromEntries(definitions) };
}

/** The tools that a prompt's model may call, and sentences about those that are not available. @throws StepError */
async function openPromptTools(
  planned: Tools | undefined,
  { ports, signal }: StepPerforming<PromptConfig>,
): Promise<{ tools: RunnableTool[]; warnings: string[] }> {
  if (!planned) return { tools: [], warnings: [] };
  const { openConfiguredTools, makeNamesUnique } = await load();
  const { saved, runtime, ofServers, warnings } = await openConfiguredTools(ports, planned, signal);
  for (const message of warnings) ports.warn({ code: 'TOOLS_MISSING', message });
  const local = saved.find(({ type }) => type === 'local');
  if (!local) return { tools: makeNamesUnique([...saved, ...runtime, ...ofServers]), warnings };
  throw new StepError(
    `The tool ${local.name} is run by the caller, for which a prompt cannot wait; use it in a step of the type tool-call`,
  );
}

async function openServer(server: McpServer, { render }: StepPlanning<PromptConfig>): Promise<McpServer> {
  const field = credentialField(server);
  if (!server.auth || !field) return server;
  return { ...server, auth: { ...server.auth, [field]: await render(server.auth[field] ?? '') } };
}

/** A response that does not fit the schema is requested once more, with its errors. @throws StepError */
async function parseStructuredOutput(
  { ports: { sandbox }, signal }: Pick<StepPerforming<unknown>, 'ports' | 'signal'>,
  { ask, correct }: Asker,
  messages: readonly ModelMessage[],
  schema: JsonSchema,
): Promise<unknown> {
  const check = (text: string) => parseJsonAnswer(text, schema, { sandbox, signal });
  const first = await ask(messages);
  const one = await check(first);
  if (one.problems.length === 0) return one.value;
  const second = await correct(
    `Your response does not fit the JSON Schema:\n${one.problems.join('\n')}\nAnswer again, with the corrected JSON value and nothing else.`,
  );
  const other = await check(second);
  if (other.problems.length === 0) return other.value;
  throw new StepError(
    `The response does not fit the schema of responseFormat, after one correction: ${other.problems.slice(0, 5).join('; ')}`,
    { retryable: true },
  );
}

/** Without a code fence, except in formats that may begin with one. */
function unwrapText(text: string, format: string): string {
  if (format === 'text' || format === 'markdown') return text;
  return stripFence(text);
}

/** @throws StepError */
function parseResponseJson(text: string, { shown }: Pick<Ports, 'shown'>): unknown {
  const values = parseJsonValues(text);
  if (values.length === 1) return values[0];
  if (values.length > 1) {
    throw new StepError(`The model returned ${values.length} JSON values, where one is asked for`, {
      retryable: true,
    });
  }
  const start = shown(text).trim().slice(0, 200);
  throw new StepError(`The model did not return JSON: ${start || 'an empty text'}`, { retryable: true });
}

export const promptRunner = defineActingRunner(promptStep, {
  async plan(step) {
    const { config, render } = step;
    const resolvedPrompt = await render(config.userPrompt ?? config.text ?? '');
    const { model, responseFormat: format = 'text' } = config;
    const { system, messages } = await toMessages(step, resolvedPrompt, toInstruction(format));
    const tools = await planTools(step);
    const request = {
      model,
      system,
      messages,
      resolvedPrompt,
      format,
      ...promptSettings(config),
      ...(tools && { tools }),
    };
    return { request, models: [model] };
  },

  async perform(request, step) {
    const { format, resolvedPrompt } = request;
    const { tools, warnings } = await openPromptTools(request.tools, step);
    const messages = await toPromptMessages(step, request, warnings);
    const asker = createAsker(request, step, tools);
    if (typeof format === 'object') {
      return { output: await parseStructuredOutput(step, asker, messages, format.schema), resolvedPrompt };
    }
    const text = await asker.ask(messages);
    return {
      output: format === 'json' ? parseResponseJson(text, step.ports) : unwrapText(text, format),
      resolvedPrompt,
    };
  },
});

async function toMessages(
  step: StepPlanning<PromptConfig>,
  prompt: string,
  instruction: string | undefined,
): Promise<{ system: string[]; messages: Message[] }> {
  const { config, render } = step;
  const earlier = await readEarlierMessages(step);
  const system = [
    config.systemPrompt && (await render(config.systemPrompt)),
    ...earlier.filter(({ role }) => role === 'system').map(messageText),
    instruction,
  ];
  return {
    system: system.filter((text) => text !== undefined).filter(Boolean),
    messages: [
      ...earlier.filter(({ role }) => role !== 'system'),
      { role: 'user', content: await addAttachments(step, prompt) },
    ],
  };
}

const toPromptMessages = (
  { ports, signal }: { ports: Ports; signal: AbortSignal },
  { system, messages }: { system: readonly string[]; messages: readonly Message[] },
  warnings: readonly string[],
): Promise<ModelMessage[]> =>
  toModelMessages(
    ports,
    [{ role: 'system', content: [...system, ...warnings].join('\n\n') }, ...messages],
    signal,
  );

const toInstruction = (format: NonNullable<PromptConfig['responseFormat']>) =>
  typeof format === 'string'
    ? formatInstructions[format]
    : `${formatInstructions.json} It must fit this JSON Schema: ${JSON.stringify(format.schema)}`;

/** How the model writes its response. */
function promptSettings(config: PromptConfig): {
  settings: ModelSettings;
  reasoning?: ModelReasoning;
} {
  const { temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  const reasoning = toModelReasoning(config.reasoning);
  return {
    settings: omitUndefined({ temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed }),
    ...(reasoning && { reasoning }),
  };
}
