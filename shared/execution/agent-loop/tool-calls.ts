/**
 * Runs the tool calls of a turn: which may run, which wait, which fail, and their results.
 * `findCallRefusal` decides when a turn is recorded (limits, unknown tools, broken JSON), `planCalls` whenever the run
 * looks at an open call (approval, output of the caller, repeatable after a crash), `runCalls` runs up to `atOnce` of
 * them side by side and yields results as they come.
 * A failure of a tool is a result. Only an aborted signal and bugs end the run.
 */

import { type ActiveSpan, beginNote, getActiveSpan, openSpan, runInSpan } from '../../core/active-span.ts';
import { orAborted } from '../../core/concurrency/abort.ts';
import { forEachConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { countCharacters } from '../../core/json/json-texts.ts';
import type { Note } from '../../core/note.ts';
import type { Artifact } from '../tool-support/tool-runner.ts';
import { callTool, isOfCaller, type RunnableTool, type ToolEvent } from '../tools/call-tool.ts';
import {
  type DecisionFact,
  type FactSpending,
  type LoopWait,
  nothingSpent,
  type RequestedCall,
  type ResultFact,
} from './facts.ts';

/**
 * Runs the tool calls of a turn: which may run, which wait, which fail, and their results.
 * `findCallRefusal` decides when a turn is recorded (limits, unknown tools, broken JSON), `planCalls` whenever the run
 * looks at an open call (approval, output of the caller, repeatable after a crash), `runCalls` runs up to `atOnce` of
 * them side by side and yields results as they come.
 * A failure of a tool is a result. Only an aborted signal and bugs end the run.
 */

interface ToolLimits {
  /** Of all tools together, with the calls that are refused. */
  callsMax: number;
  /** Of single tools, by name or id. */
  callsMaxOf?: Readonly<Record<string, number | undefined>> | undefined;
}

export interface ToolCallsContext {
  tools: readonly RunnableTool[];
  limits: ToolLimits;
  needsApproval?: ((tool: RunnableTool) => boolean) | undefined;
  signal: AbortSignal;
  now: () => Date;
  /** What was spent since the last time it was asked. */
  spent: () => FactSpending;
}

const atOnce = 5;
/** A model's context holds little more. */
export const outputCharactersMax = 200_000;

/** Why a call does not run; undefined if it may. */
export function findCallRefusal(
  { name, input }: Pick<RequestedCall, 'name' | 'input'>,
  { tools, limits: { callsMax, callsMaxOf = {} } }: Pick<ToolCallsContext, 'tools' | 'limits'>,
  made: { callCount: number; callsOf: ReadonlyMap<string, number> },
): string | undefined {
  const tool = findTool(tools, name);
  if (made.callCount >= callsMax) {
    return `The limit of ${callsMax} tool calls is reached; answer with what you have`;
  }
  if (!tool) return `There is no tool ${name}; the tools are ${tools.map((each) => each.name).join(', ')}`;
  if (input === undefined) return 'The arguments are not valid JSON';
  const callsLimit = callsMaxOf[tool.name] ?? callsMaxOf[tool.id] ?? Number.POSITIVE_INFINITY;
  if ((made.callsOf.get(tool.id) ?? 0) < callsLimit) return undefined;
  return `The limit of ${callsLimit} calls of ${tool.name} is reached; answer with what you have`;
}

type Plan = { run: RunnableTool } | { fail: string } | { waitFor: 'approval' | 'output' };

/** @param mayHaveBegun Whether an earlier process may have begun the calls. */
export function planCalls(
  call: RequestedCall,
  { tools, needsApproval }: Pick<ToolCallsContext, 'tools' | 'needsApproval'>,
  decision: DecisionFact | undefined,
  mayHaveBegun: boolean,
): Plan {
  if (call.refused !== undefined) return { fail: call.refused };
  const tool = findTool(tools, call.name);
  if (!tool) return { fail: `The tool ${call.name} is no longer available` };
  if (needsApproval?.(tool)) {
    if (!decision) return { waitFor: 'approval' };
    if (decision.decision === 'timeout') return { fail: 'The call was denied: nobody allowed it in time' };
    if (decision.decision === 'denied') {
      return { fail: `The call was denied${decision.reason ? `: ${decision.reason}` : ''}` };
    }
  }
  if (isOfCaller(tool)) return { waitFor: 'output' };
  if (!mayHaveBegun || tool.repeatable) return { run: tool };
  return {
    fail: 'Unknown result: the run was interrupted while the tool ran. It may or may not have done its work; it was not repeated',
  };
}

/** Why the caller of the run is not asked to execute a call: its arguments do not fit the tool. */
export async function findUnfitReason(
  { name, input }: RequestedCall,
  { tools, signal }: Pick<ToolCallsContext, 'tools' | 'signal'>,
): Promise<string | undefined> {
  try {
    await findTool(tools, name)?.preview(input, signal);
    return undefined;
  } catch (error) {
    if (error instanceof StepError) return error.message;
    throw error;
  }
}

export const findTool = (tools: readonly RunnableTool[], name: string) =>
  tools.find((tool) => tool.name === name);

/** What a call runs waits for somebody, and goes on when the call is made again. */
export class CallSuspended extends Error {
  /** What is awaited there. */
  readonly wait: SuspendedCall;

  constructor(wait: SuspendedCall) {
    super('The run of a call waits');
    this.wait = wait;
  }
}

/** The run that waits, until when, and the approval if one is awaited. */
export type SuspendedCall = Pick<LoopWait, 'approvalId' | 'until'> & { runId: string };

export type CallEvent =
  | { type: 'suspended'; callId: string; wait: SuspendedCall }
  | { type: 'tool-event'; callId: string; event: ToolEvent }
  | { type: 'results'; results: ResultFact[] };

/** Runs calls side by side. Yields what they emit, and the results that are there, several at once if they are. */
export async function* runCalls(
  calls: readonly { call: RequestedCall; tool: RunnableTool }[],
  context: ToolCallsContext,
): AsyncGenerator<CallEvent, void> {
  const inbox = openMailbox<ResultFact | { callId: string; event: ToolEvent } | SuspendedItem>();
  const work = forEachConcurrently(calls, atOnce, async ({ call, tool }) => {
    const emit = (event: ToolEvent) => inbox.put({ callId: call.id, event });
    inbox.put(
      await runCall(call, tool, emit, context).catch((error): SuspendedItem => {
        if (!(error instanceof CallSuspended)) throw error;
        return { callId: call.id, wait: error.wait };
      }),
    );
  });
  work.catch((error) => inbox.fail(error));
  try {
    for (let left = calls.length; left > 0; ) {
      const items = await inbox.take();
      const results: ResultFact[] = [];
      for (const item of items) {
        if ('event' in item) yield { type: 'tool-event', ...item };
        else if ('wait' in item) {
          left--;
          yield { type: 'suspended', ...item };
        } else results.push(item);
      }
      left -= results.length;
      if (results.length > 0) yield { type: 'results', results };
    }
  } finally {
    await work.catch(() => {});
  }
}

interface SuspendedItem {
  callId: string;
  wait: SuspendedCall;
}

async function runCall(
  call: RequestedCall,
  tool: RunnableTool,
  emit: (event: ToolEvent) => void,
  { signal, now, spent }: ToolCallsContext,
): Promise<ResultFact> {
  const began = performance.now();
  const span = openCallSpan(call, tool);
  const toResult = (output: unknown, failed: boolean, artifact?: Artifact): ResultFact => {
    const durationMs = Math.round(performance.now() - began);
    const notes = span.end(failed);
    return {
      type: 'result',
      callId: call.id,
      toolName: call.name,
      output,
      failed,
      durationMs,
      spent: spent(),
      ...(artifact && { artifact }),
      ...(notes && { notes }),
      at: now().toISOString(),
    };
  };
  try {
    const outcome = await orAborted(
      runInSpan(span.span, () => callTool(tool, call.input, signal, { id: call.id, emit })),
      signal,
    );
    if ('awaitsCaller' in outcome) throw new StepError('only the caller of the run can execute this tool');
    const characters = countCharacters(outcome.output, outputCharactersMax);
    if (characters <= outputCharactersMax) return toResult(outcome.output ?? null, false, outcome.artifact);
    throw new StepError(`the output has more than ${outputCharactersMax} characters; ask for less`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StepError) return toResult(error.message, true);
    throw error;
  }
}

export const toFailedCallResult = (
  { id, name }: RequestedCall,
  reason: string,
  now: () => Date,
): ResultFact => ({
  type: 'result',
  callId: id,
  toolName: name,
  output: reason,
  failed: true,
  durationMs: 0,
  spent: nothingSpent,
  at: now().toISOString(),
});

/** The path of what happens in a run of an agent, outside of its calls: that of the run. */
export const agentPath = '';
export const callPath = (callId: string) => `call/${callId}`;

interface CallSpan {
  span: ActiveSpan | undefined;
  /** @returns what happened in the call, if that is not noted elsewhere. */
  end: (failed: boolean) => Note[] | undefined;
}

/** The result of an agent's call has the notes of the call. In a step, the call is a note itself. */
function openCallSpan({ id }: RequestedCall, { name, type }: RunnableTool): CallSpan {
  const outer = getActiveSpan();
  if (outer?.path === agentPath) {
    const span = openSpan(outer, callPath(id), Date.now());
    return { span, end: () => (span.notes.length > 0 ? span.notes : undefined) };
  }
  const note = beginNote({ k: 't', n: name, id, ty: type });
  return { span: note?.span, end: (failed) => note?.end(failed ? { st: 'e' } : {}) as undefined };
}

/** Hands items from several producers to one consumer, in order. */
function openMailbox<T>() {
  let items: T[] = [];
  let failure: { error: unknown } | undefined;
  let arrived = Promise.withResolvers<void>();
  return {
    put(item: T): void {
      items.push(item);
      arrived.resolve();
    },
    /** The consumer gets the error after the items before it. */
    fail(error: unknown): void {
      failure ??= { error };
      arrived.resolve();
    },
    /** All items that are there; waits for the first. @throws the failure of a producer. */
    async take(): Promise<T[]> {
      await arrived.promise;
      if (items.length === 0 && failure) throw failure.error;
      const taken = items;
      items = [];
      if (!failure) arrived = Promise.withResolvers();
      return taken;
    },
  };
}
