import {
  type ModelEvent,
  type ModelMessage,
  type ModelPort,
  type ModelRequest,
  type ModelResponse,
  openResponse,
  unfinished,
} from '../../adapters/model-port.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';
import { openToolCalls, type ToolLimits, type ToolResultEvent } from './tool-calls.ts';

export interface Loop {
  model: ModelPort;
  /** What every turn asks for. */
  request: Omit<ModelRequest, 'messages' | 'tools' | 'toolChoice'>;
  messages: readonly ModelMessage[];
  tools: readonly RunnableTool[];
  /** Whether the model may, must (in the first turn) or must not call tools. Default: `auto`. */
  toolChoice?: 'auto' | 'required' | 'none' | undefined;
  limits: ToolLimits;
}

export type LoopEvent =
  | Exclude<ModelEvent, { type: 'finish' }>
  | ToolResultEvent
  /** The model has finished a response. Its tool calls run now. */
  | { type: 'turn'; response: ModelResponse };

export interface LoopEnd {
  /** The last response. */
  response: ModelResponse;
  /** All messages, the last response included. */
  messages: readonly ModelMessage[];
}

/**
 * Asks the model, runs the tools that it calls, and repeats with their results until it calls none. A failed tool call
 * is a result too. When the model has used up its tool calls, it must answer without them.
 * @throws StepError if the model fails.
 */
export async function* runLoop(loop: Loop): AsyncGenerator<LoopEvent, LoopEnd> {
  const { model, request, tools } = loop;
  const calls = openToolCalls(tools, loop.limits, request.signal);
  const declared = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  let messages = loop.messages;
  let toolChoice = loop.toolChoice ?? 'auto';
  for (;;) {
    const response = yield* turn(model, { ...request, messages, tools: declared, toolChoice });
    yield { type: 'turn', response };
    messages = [...messages, response.message];
    // A provider may ignore that no tools are allowed.
    if (response.toolCalls.length === 0 || toolChoice === 'none') return { response, messages };
    const results = yield* calls.run(response.toolCalls);
    messages = [...messages, { role: 'tool', content: results.map(({ part }) => part) }];
    toolChoice = calls.areLeft() ? 'auto' : 'none';
  }
}

/** One response of the model. Yields its events. */
async function* turn(
  model: ModelPort,
  request: ModelRequest,
): AsyncGenerator<Exclude<ModelEvent, { type: 'finish' }>, ModelResponse> {
  const add = openResponse();
  for await (const event of model.stream(request)) {
    const response = add(event);
    if (response) return response;
    if (event.type !== 'finish') yield event;
  }
  throw unfinished();
}
