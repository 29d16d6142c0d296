import { conflict, ifMissing, invalidAt, notFound } from '../../core/errors/errors.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { statusWrite } from '../../domain/runs/run-list.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type Principal, requireAll } from '../../platform/identity/principal.ts';
import type { BatchInput } from '../batches/batch.ts';
import { getCheckpointWaits } from '../runs/checkpoint.ts';
import { type Execution, executionEntity, leaseChanges, type PausedRun } from '../runs/execution.ts';
import { readCheckpoints, readKept, readStepResults } from '../runs/read-checkpoints.ts';
import { sealedValues } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import { leaseMs } from './dispatch-recorder.ts';
import type { Dispatch, Resumed } from './execute-flow-run.ts';

export interface ResumeRequest {
  executionId: string;
  /** By the id of the tool call, or by the name of the tool. */
  toolOutputs: Readonly<Record<string, unknown>>;
  /** What is written in the transaction that takes the run over. */
  alsoWrite?: readonly Write[];
}

export type ResumedDispatch = Pick<Dispatch, 'prepared' | 'body' | 'runsAs' | 'permissions'> & {
  resumed: Resumed;
};

/**
 * Takes a paused run over. Of several concurrent requests, one gets it. @throws 400 if the output is missing, 403 if the
 * caller could not have started the run, 404 if there is no such run, 409 if it is not paused.
 */
export async function resumeFlowRun(
  scope: Scope,
  principal: Pick<Principal, 'permissions'>,
  { executionId, toolOutputs, alsoWrite = [] }: ResumeRequest,
): Promise<ResumedDispatch> {
  const { table } = scope;
  const execution = await table.find(executionEntity, { id: executionId }, { consistent: true });
  const { paused } = execution;
  if (!paused) throw createNotPausedError();
  requireAll(principal, paused.permissions);
  const output = findOutput(paused, toolOutputs);
  const earlier = await readCheckpoints(scope, { runId: executionId, recordId: execution.recordId });
  const [first] = earlier;
  const last = earlier.at(-1);
  const waiting = last ? getCheckpointWaits(last) : [];
  const call = waiting.find(({ isCall }) => isCall) ?? waiting[0];
  if (!first || !call) throw await createUnavailableError(scope, executionId);
  const sealed = sealedValues(scope);
  const [version, input, stored, done] = await Promise.all([
    runVersions(scope).getStarted(execution.flowId, paused.flowVersionId, paused.subFlows),
    payloadReader(scope).fetch(paused.input) as Promise<BatchInput>,
    execution.recordId ? recordStore(scope).get(execution.recordId).catch(ifMissing(undefined)) : undefined,
    readStepResults(scope, earlier, sealed),
  ]);
  if (execution.recordId && !stored) throw notFound('Record');
  const kept = await readKept(scope, earlier, done, sealed);
  await claim(scope, execution, paused, alsoWrite);
  return {
    prepared: {
      flow: { id: execution.flowId, name: execution.flowName },
      version,
      record: stored ?? input.record,
      persistResults: first.ttl === undefined,
    },
    body: {
      inputs: input.inputs,
      messages: input.messages as Dispatch['body']['messages'],
      options: { autoAppendMetadata: paused.appendsMetadata, debugMode: paused.debugMode },
    },
    permissions: paused.permissions,
    runsAs: { userId: first.userId, organizationId: first.organizationId },
    resumed: { execution, earlier, done, waiting, kept, answered: { path: call.path, output } },
  };
}

function findOutput({ toolCallId, toolName }: PausedRun, outputs: ResumeRequest['toolOutputs']): unknown {
  for (const name of [toolCallId, toolName]) if (Object.hasOwn(outputs, name)) return outputs[name];
  throw invalidAt(
    'toolOutputs',
    'MISSING_REQUIRED_FIELD',
    `Required: the output of the tool call ${toolCallId} (${toolName})`,
  );
}

/** Why a run that was paused cannot be read: another request has ended it since, or it was deleted. */
async function createUnavailableError({ table }: Scope, id: string): Promise<Error> {
  const execution = await table.get(executionEntity, { id }, { consistent: true });
  return execution && !execution.paused ? createNotPausedError() : notFound('Execution');
}

/** @throws 409 if another request has taken the run. */
async function claim(
  { table, now }: Scope,
  execution: Execution,
  { toolCallId }: PausedRun,
  alsoWrite: readonly Write[],
): Promise<void> {
  const lease = leaseChanges(execution, new Date(now().getTime() + leaseMs).toISOString());
  const isPaused = { expression: '#paused.#toolCallId = :toolCallId', values: { toolCallId } };
  const write = table.writes.update(executionEntity, execution, { ...lease, remove: ['paused'] }, isPaused);
  const listed = execution.origin ? [statusWrite({ table }, execution, 'running')] : [];
  await table.commit([write, ...listed, ...alsoWrite]).catch((error) => {
    throw error instanceof ConditionFailed ? createNotPausedError() : error;
  });
}

const createNotPausedError = () =>
  conflict('The execution is not paused: it continues already, or has ended');
