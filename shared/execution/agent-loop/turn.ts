import { meantValue } from '../../adapters/json-schema/meant-value.ts';
import type { ModelResponse } from '../../adapters/ports/model-port.ts';
import type { NewId } from '../../core/ids.ts';
import type { NewWarning } from '../../core/warnings.ts';
import type { ModelDelta } from './ask-model.ts';
import { type AskedResponse, askModel } from './ask-model.ts';
import type { RequestedCall, TurnFact } from './facts.ts';
import type { Loop, LoopEvent } from './loop.ts';
import type { RunState } from './state.ts';
import { callRefusal, toolNamed } from './tool-calls.ts';

export async function* takeTurn(
  loop: Loop,
  state: RunState,
  toolChoice: 'auto' | 'required' | 'none',
  inputTokens: number | undefined,
): AsyncGenerator<LoopEvent, TurnFact> {
  const { model, request, tools, newId, errorHandling, signal } = loop;
  const turn = state.turns + 1;
  const turnId = newId('turn');
  const began = performance.now();
  yield { type: 'turn-started', turn, turnId };
  const asked = askModel(
    model,
    {
      ...request,
      messages: state.messages,
      tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      toolChoice,
      inputTokens,
      signal,
    },
    { handling: errorHandling, mayBeEmpty: loop.mayEndEmpty === true && state.callCount > 0 },
  );
  const ids = openCallIds(newId, tools);
  let delta = await asked.next();
  try {
    for (; !delta.done; delta = await asked.next()) yield ids.shown(delta.value);
  } finally {
    // If nobody reads any more, this aborts the call.
    await asked.return(undefined as never);
  }
  const { response, fallback, attempts } = delta.value;
  for (const warning of warningsOf(delta.value, request.model)) loop.warn(warning);
  const { message, text, reasoning, sources, stopReason, modelUsed, usage, toolCalls } = response;
  // A provider may ignore that no tools are allowed.
  const requested = toolChoice === 'none' ? [] : toolCalls;
  const cutOff = stopReason === 'length' ? cutOffCall(requested) : undefined;
  return {
    type: 'turn',
    turn,
    turnId,
    message,
    text,
    reasoning,
    sources,
    modelUsed,
    usage,
    stopReason: toolChoice === 'none' && loop.toolChoice !== 'none' ? 'max_tool_calls' : stopReason,
    calls: admitted(loop, state, { requested, cutOff, ids }),
    ...(fallback && { fallback }),
    ...(attempts && { attempts }),
    durationMs: Math.round(performance.now() - began),
    spent: loop.spent(),
    at: loop.now().toISOString(),
  };
}

function* warningsOf({ response, fallback }: AskedResponse, asked: string): Generator<NewWarning> {
  const { modelUsed, ignored = [], stopReason, providerReason, text, toolCalls } = response;
  if (fallback) {
    const message = `The model ${asked} failed or answered nothing, and a fallback of the type ${fallback} answered`;
    yield { code: 'FALLBACK_USED', message };
  }
  for (const setting of ignored) {
    yield { code: 'SETTING_IGNORED', message: `${modelUsed} does not take ${setting}` };
  }
  if (stopReason === 'length' && toolCalls.length === 0) {
    yield {
      code: 'ANSWER_CUT',
      message: `The answer of ${modelUsed} was cut at its limit of output tokens; raise maxTokens`,
    };
  }
  if (stopReason === 'other' && providerReason !== undefined && toolCalls.length === 0) {
    yield {
      code: 'ANSWER_CUT',
      message: `The answer of ${modelUsed} may be cut: its provider ended it with ${providerReason}`,
    };
  }
  if (text.trim() === '' && toolCalls.length === 0) {
    yield { code: 'ANSWER_EMPTY', message: `${modelUsed} ended without a word, after its tools had worked` };
  }
}

type Call = ModelResponse['toolCalls'][number];

const cutOffReason = 'The response was cut off at its limit in the middle of this call; write less at once';

/** The call in which a response was cut off. One without any arguments may be one of which nothing was written yet. */
function cutOffCall(calls: readonly Call[]): Call | undefined {
  const last = calls.at(-1);
  return last && (last.input === undefined || last.text.trim() === '') ? last : undefined;
}

type CallIds = ReturnType<typeof openCallIds>;

function openCallIds(newId: NewId, tools: Loop['tools']) {
  const ids = new Map<string, string>();
  const complete: string[] = [];
  const idOf = (modelId: string) => {
    const id = ids.get(modelId) ?? newId('call');
    ids.set(modelId, id);
    return id;
  };
  return {
    shown(delta: ModelDelta): LoopEvent {
      if (delta.type !== 'tool-call' && delta.type !== 'tool-call-delta') return delta;
      const id = idOf(delta.id);
      if (delta.type === 'tool-call') {
        complete.push(id);
        // A model that repeats an id means another call.
        ids.delete(delta.id);
        return { ...delta, id, input: meantInput(tools, delta), toolType: typeOf(tools, delta.name) };
      }
      return { ...delta, id, toolType: typeOf(tools, delta.name) };
    },
    /** Of the complete calls, in their order. */
    take: (): string => complete.shift() ?? newId('call'),
  };
}

function admitted(
  loop: Loop,
  { callCount, callsOf }: RunState,
  { requested, cutOff, ids }: { requested: readonly Call[]; cutOff: Call | undefined; ids: CallIds },
): RequestedCall[] {
  const made = { callCount, callsOf: new Map(callsOf) };
  return requested.map((call) => {
    const { id: modelId, name, text } = call;
    const input = meantInput(loop.tools, call);
    const tool = toolNamed(loop.tools, name);
    const toolId = tool?.id ?? null;
    const refused = call === cutOff ? cutOffReason : callRefusal({ name, input }, loop, made);
    made.callCount++;
    if (toolId && !refused) made.callsOf.set(toolId, (made.callsOf.get(toolId) ?? 0) + 1);
    const toolType = typeOf(loop.tools, name);
    return {
      id: ids.take(),
      modelId,
      name,
      toolId,
      toolType,
      ...(tool && { description: tool.description.slice(0, 500) }),
      input,
      ...(input === undefined && { text }),
      ...(refused !== undefined && { refused }),
    };
  });
}

/** As the schema of the tool means it: so it is checked, shown, approved and called. */
function meantInput(tools: Loop['tools'], { name, input }: Pick<Call, 'name' | 'input'>): unknown {
  const tool = toolNamed(tools, name);
  return tool && input !== undefined ? meantValue(tool.parameters, input) : input;
}

const typeOf = (tools: Loop['tools'], name: string) => toolNamed(tools, name)?.type ?? 'unknown';
