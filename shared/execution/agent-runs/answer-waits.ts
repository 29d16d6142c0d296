import { conflict, invalidAt, notFound } from '../../core/errors.ts';
import { characterCount } from '../../core/json-texts.ts';
import { type Message, textOf } from '../../domain/conversations/message.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { Fact, ResultFact, Wait } from '../agent-loop/facts.ts';
import { outputCharactersMax } from '../agent-loop/tool-calls.ts';
import { requireAll } from '../runs/require-all.ts';
import { type LoadedRun, loadRun } from './load-run.ts';
import { RunLost } from './recorder.ts';
import type { Entry } from './run-log.ts';
import { appendTo } from './take-run.ts';

/** Which run is meant. */
export interface RunPlace {
  executionId: string;
  /** Only a run of this agent. */
  agentId?: string | undefined;
}

export interface Decision {
  approvalId: string;
  decision: 'approved' | 'denied';
  reason?: string | undefined;
}

export interface CallerAnswer {
  /** By the id of the tool call, or by the name of the tool. */
  toolOutputs: Readonly<Record<string, unknown>>;
  messages?: readonly Message[] | undefined;
}

/** A run after an answer, and what the answer added to its log. */
export interface AnsweredRun {
  run: LoadedRun;
  added: Entry[];
}

/**
 * Allows or denies a call. The last answer that a run waits for continues it.
 * @throws 403 if the caller could not have started the run; 404 if there is no such run or approval; 409 if it does not
 * wait for it (any more).
 */
export async function decide(
  scope: Scope,
  principal: Principal,
  place: RunPlace,
  { approvalId, decision, reason }: Decision,
): Promise<AnsweredRun> {
  const run = await pausedRun(scope, principal, place);
  const wait = run.state.waits.find((each) => each.approvalId === approvalId);
  if (!wait) throw isDecided(run, approvalId) ? notWaiting() : notFound('Approval');
  if (Date.parse(wait.until) <= scope.now().getTime()) {
    throw conflict('The approval came too late: the call is denied');
  }
  const { callId } = wait;
  const by = principal.userId;
  const at = scope.now().toISOString();
  const fact: Fact = { type: 'decision', approvalId, callId, decision, by, at, ...(reason && { reason }) };
  return append(scope, run, [fact], []);
}

/**
 * Gives the outputs of tools that the caller executed. The last answer that a run waits for continues it.
 * @throws 400 if an output is missing or too large; otherwise as `decide`
 */
export async function giveOutputs(
  scope: Scope,
  principal: Principal,
  place: RunPlace,
  { toolOutputs, messages = [] }: CallerAnswer,
): Promise<AnsweredRun> {
  const run = await pausedRun(scope, principal, place);
  const at = scope.now().toISOString();
  const waits = run.state.waits.filter(({ kind }) => kind === 'output');
  const results = waits.flatMap((wait) => resultOf(wait, toolOutputs, at) ?? []);
  if (results.length === 0) throw missingOutput(waits);
  const notes = messages.map((message): Fact => {
    if (message.role === 'user') return { type: 'note', reason: 'caller', text: textOf(message), at };
    throw invalidAt('messages', 'INVALID_VALUE', 'Only messages of the user can be added to a run');
  });
  if (notes.length > 0 && results.length < run.state.waits.length) {
    throw invalidAt('messages', 'INVALID_VALUE', 'Send messages with the last output that the run waits for');
  }
  return append(scope, run, results, notes);
}

async function pausedRun(
  scope: Scope,
  principal: Principal,
  { executionId, agentId }: RunPlace,
): Promise<LoadedRun> {
  const run = await loadRun(scope, executionId);
  if (agentId && run.execution.agentId !== agentId) throw notFound('Execution');
  requireAll(principal, run.execution.permissions);
  if (run.execution.status !== 'paused') throw notWaiting();
  return run;
}

async function append(scope: Scope, run: LoadedRun, facts: Fact[], afterLast: Fact[]): Promise<AnsweredRun> {
  const answered = new Set(facts.flatMap((fact) => ('callId' in fact ? [fact.callId] : [])));
  const isLast = run.state.waits.every(({ callId }) => answered.has(callId));
  // A worker takes a run in the background itself.
  const takes = isLast && !run.execution.background;
  const at = scope.now().toISOString();
  const more: Fact[] = isLast ? [...afterLast, ...(takes ? [{ type: 'continue' as const, at }] : [])] : [];
  try {
    return await appendTo(scope, run, [...facts, ...more]);
  } catch (error) {
    throw error instanceof RunLost ? notWaiting() : error;
  }
}

function resultOf(
  { callId, toolName }: Wait,
  outputs: CallerAnswer['toolOutputs'],
  at: string,
): ResultFact | undefined {
  const name = [callId, toolName].find((each) => Object.hasOwn(outputs, each));
  if (name === undefined) return undefined;
  const output = outputs[name] ?? null;
  if (characterCount(output, outputCharactersMax) > outputCharactersMax) {
    const message = `An output has at most ${outputCharactersMax} characters`;
    throw invalidAt(`toolOutputs.${name}`, 'TOO_LARGE', message);
  }
  const spent = { inputTokens: 0, outputTokens: 0, cost: '0' };
  return { type: 'result', callId, toolName, output, failed: false, durationMs: 0, spent, at };
}

function missingOutput(waits: readonly Wait[]): Error {
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

const notWaiting = () =>
  conflict('The execution does not wait for this: it was answered before, continues already, or has ended');
