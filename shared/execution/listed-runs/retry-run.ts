/**
 * Repeats a single run, of a flow or an agent: a new run with the same version and input, which takes over what the earlier
 * ones have stored.
 * A run and the retries of it that go on with it are a chain. Order: the run has ended, and so have the retries of it (409);
 * what it takes is stored (422) and the caller may start it (403); then the new run and the entry in `retriedBy` of the first
 * are written together, conditional on that list: of two retries at once one is refused.
 * A flow takes over the newest result of each step, and does its acts under the same keys (`runs/reused-results.ts`). An agent
 * begins with the state of the newest run of the chain as its first fact (`agent-loop/state.ts`); tool calls without a result
 * count as begun.
 * A crash before the write leaves nothing. After it the new run is listed, and ends as lost like any other; its own retry, or
 * another one of the first run, goes on with what it stored. `functions/dispatch/retry.ts` calls it and executes the run.
 */
import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import {
  conflict,
  ifMissing,
  invalidAt,
  notFound,
  ServiceError,
  unprocessable,
} from '../../core/errors/errors.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { hourMarks } from '../../domain/runs/hour-marks.ts';
import { type Run, runEntity } from '../../domain/runs/run.ts';
import { createRunWrite } from '../../domain/runs/run-list.ts';
import { originOfCall, type RunOrigin } from '../../domain/runs/run-origin.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type Principal, requireAll } from '../../platform/identity/principal.ts';
import type { StateFact } from '../agent-loop/facts.ts';
import { replay, toStateFact } from '../agent-loop/state.ts';
import { agentExecutionEntity } from '../agent-runs/agent-execution.ts';
import { type AgentRun, toPlaceholders } from '../agent-runs/execute-agent-run.ts';
import { type LoadedRun, loadInput, loadRun, logFacts } from '../agent-runs/run-log.ts';
import { startRun } from '../agent-runs/start-run.ts';
import type { BatchInput } from '../batches/batch.ts';
import { createFlowExecution } from '../dispatch/dispatch-recorder.ts';
import type { Dispatch } from '../dispatch/execute-flow-run.ts';
import { startBudgetCheck } from '../model-calls/budget-accounts.ts';
import type { Checkpoint } from '../runs/checkpoint.ts';
import { toFlowRun } from '../runs/flow-run-event.ts';
import { readCheckpoints } from '../runs/read-checkpoints.ts';
import { continueRuns } from '../runs/reused-results.ts';
import { sealedValues } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import { getAgentTimeMs } from '../targets/front-policy.ts';

export interface RetryRequest {
  from: 'failure' | 'start';
  /** Whether what may have taken effect is done again. */
  unsafe: boolean;
  options: {
    tags?: string[] | undefined;
    sessionId?: string | undefined;
    /** These two: of an agent. */
    background?: boolean | undefined;
    timeoutMs?: number | undefined;
    /** Of a flow. */
    debugMode?: boolean | undefined;
  };
  /** Of the process that runs it in front of its caller. */
  timeLeftMs: number;
}

export type StartedRetry =
  | { kind: 'agent'; run: AgentRun }
  | {
      kind: 'flow';
      dispatch: Omit<Dispatch, 'requestId' | 'timeMs' | 'callerSignal' | 'showsProgress'>;
    };

/** Each has an entry in the row of the run that it repeats. */
const retriesMax = 50;
/** How far a chain is followed. */
const chainMax = 100;
/** A process that was told to stop may still store what it did. */
const finishingMs = 60_000;

/** @throws 400, 403, 404, 409 while a run of the chain goes on, 422 for what is not stored */
export const runRetrier = /* @__PURE__ */ using(
  ['table:write', 'payloads:read', 'payloads:write', startBudgetCheck, recordStore],
  (scope: Scope) =>
    async (run: Run, request: RetryRequest, principal: Principal): Promise<StartedRetry> => {
      assertRetriable(run, request);
      assertOptionsFit(run, request);
      const chain = await loadChain(scope, run);
      const running = chain.later.find(({ completedAt }) => completedAt === undefined);
      if (running) throw conflict(`The retry ${running.id} of the run goes on; wait until it has ended`);
      if ((run.retriedBy?.length ?? 0) >= retriesMax)
        throw conflict(`A run has at most ${retriesMax} retries; retry the last one`);
      const { tags = run.tags, sessionId = run.sessionId } = request.options;
      const origin = { ...originOfCall(principal, { tags, sessionId }), retryOf: run.id };
      const started = { run, request, principal, origin, chain };
      return run.kind === 'agent' ? retryAgent(scope, started) : retryFlow(scope, started);
    },
);

interface Retry {
  run: Run;
  request: RetryRequest;
  principal: Principal;
  origin: RunOrigin;
  chain: Chain;
}

function assertRetriable(run: Run, { from }: RetryRequest): void {
  const { id, kind, status, completedAt, parentRunId, rootRunId } = run;
  if (kind === 'batch') throw refuse(`The run is a batch; use POST /v1/batch/${id}/retry`);
  if (kind === 'tool') throw refuse('A run of a tool is one call; run the tool again');
  if (parentRunId !== undefined)
    throw refuse(`The run is inside of another one; retry ${rootRunId ?? parentRunId}`);
  if (completedAt === undefined) throw conflict('The run goes on; wait until it has ended, or cancel it');
  if (status === 'completed' && from === 'failure')
    throw conflict('The run completed; with "from": "start" it runs again');
}

const foreignOptions = { flow: ['background', 'timeoutMs'], agent: ['debugMode'] } as const;

function assertOptionsFit({ kind }: Run, { options }: RetryRequest): void {
  if (kind !== 'flow' && kind !== 'agent') return;
  const name = foreignOptions[kind].find((each) => options[each] !== undefined);
  const other = kind === 'flow' ? 'an agent' : 'a flow';
  if (name)
    throw invalidAt(
      `options.${name}`,
      'INVALID_VALUE',
      `The run is one of ${kind === 'flow' ? 'a flow' : 'an agent'}; ${name} is an option of ${other}`,
    );
}

const refuse = (message: string) => unprocessable({ path: 'id', code: 'INVALID_VALUE', message });
const createNotKeptError = () => refuse('What a retry needs of this run is not stored; start it anew');

interface Chain {
  /** The runs that this one goes on with, oldest first. */
  earlier: readonly Run[];
  /** The retries of it, and theirs. */
  later: readonly Run[];
}

async function loadChain({ table }: Scope, run: Run): Promise<Chain> {
  const read = async (ids: readonly string[]) => {
    const items = await table.getMany(
      ids.map((id) => runEntity.key({ id })),
      { consistent: true },
    );
    return decodeReadable(runEntity, items);
  };
  const earlier: Run[] = [];
  for (let at: Run | undefined = run; at?.retryOf && earlier.length < chainMax; at = earlier[0])
    earlier.unshift(...(await read([at.retryOf])));
  const later: Run[] = [];
  for (let ids = run.retriedBy ?? []; ids.length > 0 && later.length < chainMax; ) {
    const found = await read(ids);
    later.push(...found);
    ids = found.flatMap(({ retriedBy = [] }) => retriedBy);
  }
  return { earlier, later: later.toSorted((one, other) => (one.id < other.id ? -1 : 1)) };
}

/** Refused if another retry of the run has started since it was read. */
const toRetriedWrite = ({ table }: Scope, { id, retriedBy = [] }: Run, retryId: string): Write =>
  table.writes.update(
    runEntity,
    { id },
    { set: { retriedBy: [...retriedBy, retryId] } },
    retriedBy.length > 0
      ? { expression: '#summary.#retriedBy = :before', values: { before: retriedBy } }
      : { expression: 'attribute_exists(PK) AND attribute_not_exists(#summary.#retriedBy)' },
  );

function rethrowRefusal(error: unknown): never {
  throw error instanceof ConditionFailed
    ? conflict('Another retry of the run has started; wait until it has ended')
    : error;
}

async function retryFlow(scope: Scope, retry: Retry): Promise<StartedRetry> {
  const { run, request, principal, origin, chain } = retry;
  const { table } = scope;
  const runs = await Promise.all(
    [...chain.earlier, run, ...chain.later].map(({ id: runId, recordId = null }) =>
      readCheckpoints(scope, { runId, recordId }),
    ),
  );
  const checkpoints = runs[chain.earlier.length] ?? [];
  const first = runs.flatMap(([each]) => each ?? [])[0];
  if (!first) throw createNotKeptError();
  assertStopped(scope, run, checkpoints);
  const { start = { permissions: [], appendsMetadata: false } } = first;
  requireAll(principal, start.permissions);
  const [prepared, input, earlier] = await Promise.all([
    loadPrepared(scope, run, first),
    payloadReader(scope).fetch(first.input ?? { inline: '{}' }) as Promise<BatchInput>,
    request.from === 'start'
      ? undefined
      : continueRuns(scope, selectChain(runs, checkpoints), sealedValues(scope)),
  ]);
  await startBudgetCheck(scope).flow(run.flowId ?? '', prepared.version.steps, { origin });
  const record = prepared.record ?? input.record;
  const execution = createFlowExecution(scope, { ...prepared, record }, { origin });
  const listing = createRunWrite(scope, toFlowRun(execution));
  await hourMarks(scope)(execution.startedAt);
  await table.commit([listing, toRetriedWrite(scope, run, execution.id)]).catch(rethrowRefusal);
  return {
    kind: 'flow',
    dispatch: {
      prepared: { ...prepared, record },
      body: {
        inputs: input.inputs,
        messages: input.messages as Dispatch['body']['messages'],
        options: {
          autoAppendMetadata: start.appendsMetadata,
          debugMode: request.options.debugMode ?? false,
        },
      },
      runsAs: principal,
      permissions: start.permissions,
      origin,
      begun: { execution, earlier, repeatsUnsafe: request.unsafe },
    },
  };
}

/** Those that have gone on with each other, as far as they have stored something. */
function selectChain(runs: readonly Checkpoint[][], checkpoints: readonly Checkpoint[]): Checkpoint[][] {
  const toIdentity = ([first]: readonly Checkpoint[]) => first?.identity ?? first?.runId;
  const written = runs.filter(({ length }) => length > 0);
  const identity = toIdentity(checkpoints) ?? toIdentity(written.at(-1) ?? []);
  return written.filter((each) => toIdentity(each) === identity);
}

/** @throws 409 while the process of a cancelled run may still write */
function assertStopped(
  { now }: Scope,
  { status, completedAt = '' }: Run,
  checkpoints: readonly Checkpoint[],
): void {
  const leftMs = Date.parse(completedAt) + finishingMs - now().getTime();
  if (status !== 'cancelled' || checkpoints.at(-1)?.end || leftMs <= 0) return;
  const retryAfterSeconds = Math.ceil(leftMs / 1_000);
  const message = `The run was just cancelled, and what it did may still be stored; try again in ${retryAfterSeconds} s`;
  throw new ServiceError('CONFLICT', message, {
    details: [{ code: 'CONFLICT', message }],
    retryAfterSeconds,
  });
}

async function loadPrepared(scope: Scope, run: Run, first: Checkpoint): Promise<Dispatch['prepared']> {
  const { flowId, flowVersionId, subFlows, recordId, ttl } = first;
  const [version, record] = await Promise.all([
    runVersions(scope).getStarted(flowId, flowVersionId, subFlows).catch(ifMissing(undefined)),
    recordId ? recordStore(scope).get(recordId) : undefined,
  ]);
  if (!version) throw createNotKeptError();
  return { flow: { id: flowId, name: run.name }, version, record, persistResults: ttl === undefined };
}

async function retryAgent(scope: Scope, retry: Retry): Promise<StartedRetry> {
  const { run, request, principal, origin, chain } = retry;
  const { table, now, newId } = scope;
  const execution = await table.find(agentExecutionEntity, { id: run.id }, { consistent: true });
  if (!execution.isLogged) throw createNotKeptError();
  requireAll(principal, execution.permissions);
  const { content, input } = await loadInput(scope, execution);
  const source = request.from === 'start' ? undefined : await loadNewest(scope, run, chain);
  const { background = execution.background, timeoutMs = execution.timeoutMs } = request.options;
  const id = newId('exec');
  const { agentId, agentName: name, agentVersionId: versionId, surfaceType, permissions } = execution;
  const started = await startRun(
    scope,
    {
      id,
      agent: { id: agentId, name, versionId, content },
      messages: input.messages,
      owner: principal,
      permissions,
      surfaceType,
      background,
      timeoutMs: getAgentTimeMs({ background, timeoutMs }, request.timeLeftMs),
      origin,
      responseSchema: input.responseSchema,
      clientTools: input.clientTools,
      repeated: { input, state: source && toTakenState(source, input, now()) },
      alsoWrite: [toRetriedWrite(scope, run, id)],
    },
    sandbox(scope),
  ).catch(rethrowRefusal);
  return { kind: 'agent', run: started };
}

/** The newest run of the chain that has gone on with this one. A run that began anew has no state at its beginning. */
async function loadNewest(scope: Scope, run: Run, { later }: Chain): Promise<LoadedRun> {
  for (const { id } of later.toReversed()) {
    const loaded = await loadRun(scope, id).catch(ifMissing(undefined));
    if (loaded?.state.reusedFrom) return loaded;
  }
  const loaded = await loadRun(scope, run.id).catch(ifMissing(undefined));
  if (!loaded) throw notFound('Run');
  return loaded;
}

/** At no cost: what was spent is that of the run that it is taken from. */
function toTakenState({ execution, log }: LoadedRun, input: AgentRun['input'], at: Date): StateFact {
  const state = replay(toPlaceholders(input), logFacts(log));
  const { spent, unpriced: _unpriced, use: _use, ...taken } = toStateFact(state, at);
  const { codeCalls } = spent;
  const nothing = { inputTokens: 0, outputTokens: 0, cost: '0', ...(codeCalls && { codeCalls }) };
  return {
    ...taken,
    spent: nothing,
    reusedFrom: { runId: execution.id, savedCost: execution.totalCost },
  };
}
