/**
 * Flows that an agent calls as tools, and whose steps wait.
 * Until a step waits, such a flow runs in the process of its call, and nothing of it is stored. Then `suspendFlow` stores its
 * results, its run and a batch of one, which goes on by itself when somebody answers or the time comes. The call has no result
 * then, so the run of the agent waits with it (`CallSuspended`), as it does for an agent inside (`agent-runs/inside-waits.ts`).
 * The id of the run derives from the call: made again, the call gets the end of that run (`findSuspended`). What the flow spends
 * after its wait is counted by its own run, not by that of the agent.
 */
import { recordNote } from '../../core/active-span.ts';
import { ifCode } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { deriveId, getIdTimeMs } from '../../core/ids.ts';
import type { Unmasked } from '../../core/redaction/hidden.ts';
import { waitStore } from '../../domain/run-waits/wait-store.ts';
import { type Run, runEntity, toInsideKey } from '../../domain/runs/run.ts';
import { type NewRun, runCancelled } from '../../domain/runs/run-list.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { CallSuspended } from '../agent-loop/tool-calls.ts';
import type { OpenWait, StepResult } from '../engine/engine.ts';
import { readCheckpoints, readStepResults } from '../runs/read-checkpoints.ts';
import { openRunRecorder } from '../runs/run-recorder.ts';
import { sealedValues } from '../runs/run-variables.ts';
import type { RunVersion } from '../runs/run-versions.ts';
import { batchStore } from './batch-store.ts';
import { continueSuspended } from './suspended-run.ts';

type Output = Unmasked & { output: unknown };

interface Suspending {
  listed: NewRun & { flowId: string };
  version: RunVersion;
  runsAs: Pick<Principal, 'userId' | 'organizationId'>;
  inputs: Record<string, unknown>;
  /** Of the call: acts have the same keys whenever it is repeated. */
  identity: string;
  results: readonly StepResult[];
  /** What its steps must know again, by path. */
  kept: ReadonlyMap<string, [value: unknown, sealed: Unmasked]>;
  waits: readonly OpenWait[];
}

/** The run of what a call runs: the same whenever the call is made again. */
export const toCallRunId = (runId: string, callId: string): string =>
  deriveId('exec', getIdTimeMs(callId), runId, callId);

/** How soon the run of an agent looks again for one inside of which it is not known how long it takes. */
const lookMs = 3_600_000;

export const waitingFlows = /* @__PURE__ */ using(
  [batchStore, waitStore, 'table:write', 'payloads:read', 'payloads:write', 'run-values', 'queue:wakes'],
  (scope: Scope) => {
    const { table, now } = scope;
    const soon = () => new Date(now().getTime() + lookMs).toISOString();

    return {
      /** Stores a flow that waits. @throws CallSuspended */
      async suspend(progress: Suspending): Promise<never> {
        const { listed, version, runsAs, inputs, waits } = progress;
        const { id: runId, name, startedAt, flowId, trigger, parentRunId, rootRunId, tags } = listed;
        const until = new Date(Math.min(...waits.map((wait) => (wait.until ?? new Date(soon())).getTime())));
        const writes = await encodeProgress(scope, progress);
        const suspended = {
          runId,
          flow: { id: flowId, name },
          version,
          runsAs,
          origin: { trigger, parentRunId, rootRunId, tags },
          recordId: null,
          input: { inputs },
          appendsMetadata: false,
          startedAt,
        };
        await continueSuspended(scope, suspended, { waits, until }, (batchId) => [
          ...writes,
          table.writes.insert(runEntity, { ...listed, batchId, status: 'paused' }),
        ]);
        throw new CallSuspended({ runId, until: until.toISOString() });
      },

      /** The end of the run of a call that was suspended; undefined if there is none. @throws StepError, CallSuspended */
      async find(runId: string): Promise<Output | undefined> {
        const run = await findSuspended(scope, runId);
        if (!run) return undefined;
        if (run.completedAt === undefined) {
          const waits = await waitStore(scope).listByRun(runId);
          const untils = waits.filter(({ answer }) => !answer).map(({ expiresAt }) => expiresAt);
          throw new CallSuspended({ runId, until: untils.toSorted()[0] ?? soon() });
        }
        const facts = { k: 'f' as const, n: run.name, id: run.flowId, x: runId };
        return recordNote(facts, () => readEnd(scope, run));
      },

      /** Whether there is a run of a call that was suspended. */
      isStored: async (runId: string): Promise<boolean> => (await findSuspended(scope, runId)) !== undefined,
    };
  },
);

/** The run of a call that was suspended, whether it has ended or not. A flow that did not wait has no batch. */
export async function findSuspended({ table }: Scope, runId: string): Promise<SuspendedFlow | undefined> {
  const run = await table.get(runEntity, toInsideKey(runId), { consistent: true });
  return run?.batchId === undefined ? undefined : { ...run, batchId: run.batchId };
}

type SuspendedFlow = Run & { batchId: string };

/** @throws StepError */
async function readEnd(scope: Scope, { id: runId, name, status, error }: Run): Promise<Output> {
  if (status !== 'completed') {
    const reason = status === 'cancelled' ? 'it was cancelled' : error?.message;
    throw new StepError(`The flow "${name}" failed: ${reason}`);
  }
  const checkpoints = await readCheckpoints(scope, { runId, recordId: null });
  const results = await readStepResults(scope, checkpoints, sealedValues(scope));
  const last = [...results.values()].findLast(
    (result) => !result.path.includes('.') && result.status === 'completed',
  );
  return { output: last?.output ?? null, ...(last?.unmasked && { unmasked: last.unmasked }) };
}

/** Cancels the run of a call that was suspended, if it has not ended. */
export const waitingFlowCanceller = /* @__PURE__ */ using(
  [batchStore],
  (scope: Scope) =>
    async (runId: string): Promise<void> => {
      const run = await findSuspended(scope, runId);
      if (!run || run.completedAt !== undefined) return;
      await batchStore(scope)
        .stop(run.batchId, 'cancelled', runCancelled)
        .catch(ifCode('CONFLICT', undefined));
    },
);

/** What a run that waits has done. Its model calls are counted already, by the run around it. */
async function encodeProgress(
  scope: Scope,
  { listed, version, runsAs, inputs, identity, results, kept, waits }: Suspending,
): Promise<Write[]> {
  const writes: Write[] = [];
  const facts = {
    ...runsAs,
    runId: listed.id,
    batchId: null,
    flowId: listed.flowId,
    flowVersionId: version.id,
    ...(version.subFlows && { subFlows: version.subFlows }),
    recordId: null,
    recordName: null,
    recordMetadata: {},
    flowName: listed.name,
    input: { inputs },
    identity,
  };
  const refuseEnd = () => Promise.reject(new Error('A flow that waits has not ended'));
  const recorder = openRunRecorder(scope, facts, refuseEnd, {
    sealed: sealedValues(scope),
    async commitProgress(progress) {
      writes.push(...progress.writes);
    },
  });
  for (const [path, value] of kept) recorder.keep(path, ...value);
  for (const { modelCalls: _counted, ...result } of results) await recorder.add(result);
  await recorder.suspend(
    waits.map(({ path, since }) => ({ path, since })),
    [],
  );
  return writes;
}
