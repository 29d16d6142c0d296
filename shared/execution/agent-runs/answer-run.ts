/**
 * Answers a paused run: decides approvals and gives outputs of tools; the last answer continues it.
 * Order: load and check the run (404, 403, 409), make the facts, append them in one transaction. With the last answer a
 * run in front of a caller gets a `continue` fact and this process executes it; one in the background is left to a
 * worker.
 * Of two answers at once one loses the race for the next number of the log, and is told that the run does not wait for
 * it any more (409).
 */
import * as z from 'zod';
import { conflict, invalidAt, notFound } from '../../core/errors/errors.ts';
import { resourceId } from '../../core/ids.ts';
import { countCharacters } from '../../core/json/json-texts.ts';
import { type Message, messageText } from '../../domain/conversations/message.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type Principal, requireAll } from '../../platform/identity/principal.ts';
import type { DecisionFact, Fact, LoopWait, ResultFact } from '../agent-loop/facts.ts';
import { nothingSpent } from '../agent-loop/facts.ts';
import { outputCharactersMax } from '../agent-loop/tool-calls.ts';
import { isWaiting } from './inside-waits.ts';
import { RunLost } from './run-journal.ts';
import { type LoadedRun, type LogEntry, loadRun } from './run-log.ts';
import { appendFacts } from './take-run.ts';

export interface RunPlace {
  executionId: string;
  /** Only a run of this agent. */
  agentId?: string | undefined;
}

export const Decision = z.strictObject({
  approvalId: resourceId('appr'),
  decision: z.enum(['approved', 'denied']),
  reason: z.string().max(2_000).optional().meta({ description: 'The agent learns why a call was denied' }),
});
export type Decision = z.infer<typeof Decision>;

/** By the id of the tool call, or by the name of the tool. */
type Outputs = Readonly<Record<string, unknown>>;

export interface GivenAnswers {
  decisions?: readonly Decision[] | undefined;
  toolOutputs?: Outputs | undefined;
  /** What the agent gets after the last answer. */
  messages?: readonly Message[] | undefined;
  /** Whether this process continues a run in the background. By default a worker does. */
  continuesHere?: boolean;
  /** Whether the run is left to a worker, also one in front of a caller. */
  isLeft?: boolean;
  /** What is written in the transaction that records the answer. */
  alsoWrite?: readonly Write[];
}

export interface AnsweredRun {
  run: LoadedRun;
  added: LogEntry[];
}

/**
 * Decides calls, and gives the outputs of tools that the caller executed. The last answer continues the run.
 * @throws 400 if no answer is one that the run waits for, or two decide the same; 403 if the caller could not have
 * started the run; 404 if there is no such run or approval; 409 if it does not wait (any more).
 */
export async function answerWaits(
  scope: Scope,
  principal: Pick<Principal, 'userId' | 'permissions'>,
  place: RunPlace,
  {
    decisions = [],
    toolOutputs,
    messages = [],
    continuesHere = false,
    isLeft = false,
    alsoWrite = [],
  }: GivenAnswers,
): Promise<AnsweredRun> {
  refuseRepeated(decisions);
  const run = await loadPausedRun(scope, principal, place);
  const at = scope.now();
  const ofInside = decisions.filter(({ approvalId }) => findInside(run, approvalId));
  for (const decision of ofInside) {
    const { runId: executionId = '' } = findInside(run, decision.approvalId) ?? {};
    await answerWaits(scope, principal, { executionId }, { decisions: [decision], isLeft: true });
  }
  const decided = decisions
    .filter((each) => !ofInside.includes(each))
    .map((decision) => toDecisionFact(run, decision, principal.userId, at));
  const results = toolOutputs ? toResultFacts(run, toolOutputs, at) : [];
  const notes = messages.map((message): Fact => toNote(message, at));
  const count = decided.length + results.length;
  if (notes.length > 0 && count < run.state.waits.length) {
    throw invalidAt('messages', 'INVALID_VALUE', 'Send messages with the last answer that the run waits for');
  }
  const isInside = run.execution.isInAgent;
  const facts = [...decided, ...results];
  return append(scope, run, facts, { notes, continuesHere, isLeft: isLeft || isInside, alsoWrite });
}

/** A run inside whose call has this approval. */
const findInside = ({ state }: LoadedRun, approvalId: string): LoopWait | undefined =>
  state.waits.find((wait) => wait.kind === 'inside' && wait.approvalId === approvalId);

/** The last decision would win, and might allow what the first denied. */
function refuseRepeated(decisions: readonly Decision[]): void {
  const ids = new Set(decisions.map(({ approvalId }) => approvalId));
  if (ids.size < decisions.length) {
    throw invalidAt('continuation.decisions', 'INVALID_VALUE', 'Decide each approval once');
  }
}

function toDecisionFact(
  run: LoadedRun,
  { approvalId, decision, reason }: Decision,
  by: string,
  at: Date,
): DecisionFact {
  const wait = run.state.waits.find((each) => each.approvalId === approvalId);
  if (!wait) throw isDecided(run, approvalId) ? createNotWaitingError() : notFound('Approval');
  if (Date.parse(wait.until) <= at.getTime()) {
    throw conflict('The approval came too late: the call is denied');
  }
  const { callId } = wait;
  const fact = { type: 'decision', approvalId, callId, decision, by, at: at.toISOString() } as const;
  return { ...fact, ...(reason && { reason }) };
}

function toResultFacts({ state }: LoadedRun, outputs: Outputs, at: Date): ResultFact[] {
  // The answer of another request came after the execution was read, and before its log was.
  if (state.waits.length === 0) throw createNotWaitingError();
  const waits = state.waits.filter(({ kind }) => kind === 'output');
  const results = waits.flatMap((wait) => toResultFact(wait, outputs, at.toISOString()) ?? []);
  if (results.length === 0) throw createMissingOutputError(waits);
  return results;
}

function toNote(message: Message, at: Date): Fact {
  const { role, content } = message;
  const hasFiles = typeof content !== 'string' && content.some(({ type }) => type !== 'text');
  if (role === 'user' && !hasFiles) {
    return { type: 'note', reason: 'caller', text: messageText(message), at: at.toISOString() };
  }
  throw invalidAt('messages', 'INVALID_VALUE', 'Only texts of the user can be added to a run');
}

async function loadPausedRun(
  scope: Scope,
  principal: Pick<Principal, 'permissions'>,
  { executionId, agentId }: RunPlace,
): Promise<LoadedRun> {
  const run = await loadRun(scope, executionId);
  if (agentId && run.execution.agentId !== agentId) throw notFound('Execution');
  requireAll(principal, run.execution.permissions);
  if (run.execution.status !== 'paused') throw createNotWaitingError();
  return run;
}

async function append(
  scope: Scope,
  run: LoadedRun,
  facts: Fact[],
  {
    notes,
    continuesHere,
    isLeft,
    alsoWrite,
  }: { notes: Fact[]; continuesHere: boolean; isLeft: boolean; alsoWrite: readonly Write[] },
): Promise<AnsweredRun> {
  const answered = new Set(facts.flatMap((fact) => ('callId' in fact ? [fact.callId] : [])));
  const left = run.state.waits.filter(({ callId }) => !answered.has(callId));
  const isLast = !(await isWaiting(scope, { state: { waits: left } }));
  // A worker takes a run in the background itself.
  const takes = isLast && !isLeft && (continuesHere || !run.execution.background);
  const at = scope.now().toISOString();
  const more: Fact[] = isLast ? [...notes, ...(takes ? [{ type: 'continue' as const, at }] : [])] : [];
  try {
    return await appendFacts(scope, run, [...facts, ...more], alsoWrite);
  } catch (error) {
    throw error instanceof RunLost ? createNotWaitingError() : error;
  }
}

function toResultFact({ callId, toolName }: LoopWait, outputs: Outputs, at: string): ResultFact | undefined {
  const name = [callId, toolName].find((each) => Object.hasOwn(outputs, each));
  if (name === undefined) return undefined;
  const output = outputs[name] ?? null;
  if (countCharacters(output, outputCharactersMax) > outputCharactersMax) {
    const message = `An output has at most ${outputCharactersMax} characters`;
    throw invalidAt(`toolOutputs.${name}`, 'TOO_LARGE', message);
  }
  const made = { failed: false, durationMs: 0, spent: nothingSpent, at };
  return { type: 'result', callId, toolName, output, ...made };
}

function createMissingOutputError(waits: readonly LoopWait[]): Error {
  if (waits.length === 0)
    return conflict('The execution waits for an approval, not for the output of a tool');
  const wanted = waits.map(({ callId, toolName }) => `${callId} (${toolName})`).join(', ');
  return invalidAt(
    'toolOutputs',
    'MISSING_REQUIRED_FIELD',
    `Required: the output of a tool call that the run waits for: ${wanted}`,
  );
}

const isDecided = ({ log }: LoadedRun, id: string) =>
  log.some(({ fact }) => fact.type === 'decision' && fact.approvalId === id);

export const createNotWaitingError = () =>
  conflict('The execution does not wait for this: it was answered before, continues already, or has ended');
