/**
 * Runs a flow inside of a run, as a tool: the port that agents and flow tools call.
 * The inner run has no checkpoints: it lives and dies with the step or call around it, its steps are span events of
 * that, and it is listed when it has ended. Its model calls are counted and paid by the run around it, with the flow as
 * a further payer.
 * It cannot wait longer than ten seconds, unless an agent calls it that can wait too: then it goes on by itself
 * (`waiting-flows.ts`). Bounds: `levelsMax` deep, `runsMax` in one outer run. If the outer process crashes, nothing of it is
 * left, and a repeated call runs it again under the identity of the call.
 */
import type { AgentsPort } from '../adapters/ports/agents-port.ts';
import type { FlowsPort } from '../adapters/ports/flows-port.ts';
import { recordNote } from '../core/active-span.ts';
import { ifMissing } from '../core/errors/errors.ts';
import { StepError } from '../core/errors/step-error.ts';
import type { Unmasked } from '../core/redaction/hidden.ts';
import { flowFinder } from '../domain/flows/flow-store.ts';
import { noWaits, waitsPort } from '../domain/run-waits/waits-adapter.ts';
import type { EndStatus } from '../domain/runs/run.ts';
import { runEnd } from '../domain/runs/run-end.ts';
import type { NewRun } from '../domain/runs/run-list.ts';
import { childListing, originInside, type ParentListing } from '../domain/runs/run-origin.ts';
import { totalsOfStep } from '../domain/runs/run-use.ts';
import { using } from '../platform/aws/uses.ts';
import type { Scope } from '../platform/data/scope.ts';
import { CallSuspended } from './agent-loop/tool-calls.ts';
import { toCallRunId, waitingFlows } from './batches/waiting-flows.ts';
import { type FlowRun, runFlow, type StepResult } from './engine/engine.ts';
import { addPayer, type ModelMeter, openMeter } from './model-calls/pipeline.ts';
import { toFlowEnding } from './runs/flow-run-event.ts';
import { runVariables } from './runs/run-variables.ts';
import { runVersions } from './runs/run-versions.ts';
import { setParentRun } from './step-support/ports-at-depth.ts';

type Output = Unmasked & { output: unknown };
type Progress = Parameters<ReturnType<typeof waitingFlows>['suspend']>[0];
type Suspend = (progress: Pick<Progress, 'results' | 'kept' | 'waits'>) => Promise<never>;

/** @param suspend For a flow that can wait. @throws StepError, and what `suspend` throws */
async function runToEnd(name: string, run: FlowRun, suspend: Suspend | undefined): Promise<Output> {
  let hasActed = false;
  const onActed = () => {
    hasActed = true;
  };
  const results: StepResult[] = [];
  const kept = new Map<string, [value: unknown, sealed: Unmasked]>();
  const outcome = await runFlow({
    ...run,
    onActed,
    ...(suspend && {
      onEvent: (event) => void (event.type === 'step_end' && event.isFinal && results.push(event.result)),
      onKept: (path, ...value) => void kept.set(path, value),
    }),
  });
  if ('waits' in outcome) {
    if (suspend) return suspend({ results, kept, waits: outcome.waits });
    throw new StepError(
      `The flow "${name}" waits for more than ten seconds, which a tool cannot; shorten the wait`,
    );
  }
  const { success, output, unmasked, error, retryable, errorCode: code } = outcome.end;
  if (success) return { output, ...(unmasked && { unmasked }) };
  throw new StepError(`The flow "${name}" failed: ${error}`, { retryable, code, undone: !hasActed });
}

/** Its model calls are those of the run that runs it. */
async function listEnd(
  scope: Scope,
  run: NewRun,
  meter: ModelMeter,
  { error, signal }: { error: unknown; signal: AbortSignal },
): Promise<void> {
  const totals = { ...totalsOfStep(meter.facts()), use: {} };
  const [status, reason] = toEndStatus(error, signal);
  const ending = toFlowEnding({ at: scope.now().toISOString(), totals, error: reason }, status);
  const { writes } = await runEnd(scope, run, ending);
  await scope.table.commit(writes);
}

/** How a flow ended, and why. It is stopped with the run around it, unless a time limit stops it. */
function toEndStatus(error: unknown, { aborted, reason }: AbortSignal): [EndStatus, string | null] {
  if (error === null) return ['completed', null];
  const isTimeout = (reason as Error | undefined)?.name === 'TimeoutError';
  if (aborted && !isTimeout) return ['cancelled', 'The run around it was ended'];
  return ['failed', error instanceof StepError ? error.message : 'The run failed'];
}

/** How deep flows may run each other. A flow that runs itself ends here. */
const levelsMax = 5;
/** How many flows may run inside of one run. A model that calls its own flow many times would multiply with each level. */
const runsMax = 500;

/** Nothing is stored of the flow, so no agent in it can wait. */
const refuseWaits = (agents: AgentsPort): AgentsPort => ({
  ...agents,
  run: (request) => agents.run({ ...request, cannotWait: true }),
});

interface Owner {
  userId: string;
  organizationId: string | null;
  runId: string;
  /** The listed run that runs them. */
  listing: ParentListing;
}

/** Of the waits of a flow that an agent has called. */
const toWaitOwner = ({
  id,
  flowId,
  name,
  rootRunId = id,
  tags = [],
}: Pick<NewRun, 'id' | 'name' | 'rootRunId' | 'tags'> & { flowId: string }) => ({
  runId: id,
  listedId: id,
  batchId: null,
  recordId: null,
  flowId,
  flowName: name,
  rootRunId,
  tags,
});

/**
 * Runs flows inside of a run. They are listed when they have ended. Their steps are not recorded: they are part of the step
 * that runs the flow.
 */
export const flowsPort = /* @__PURE__ */ using(
  [flowFinder, runVersions, waitsPort, waitingFlows],
  (scope: Scope, owner: Owner, level = 1, made = { runs: 0 }): FlowsPort => ({
    async run({ flowId, inputs, ports, callId, parent: stated, canWait, signal }) {
      if (level > levelsMax) {
        throw new StepError(`Flows run each other at most ${levelsMax} levels deep; does a flow run itself?`);
      }
      if (++made.runs > runsMax) {
        throw new StepError(`A run runs at most ${runsMax} flows as tools; does a flow run itself?`);
      }
      const parent = stated ?? owner.listing;
      const waiting = canWait && callId ? waitingFlows(scope) : undefined;
      const id = waiting && callId ? toCallRunId(parent.runId, callId) : scope.newId('exec');
      const [flow, earlier] = await Promise.all([
        flowFinder(scope).find(flowId).catch(ifMissing(undefined)),
        waiting?.find(id),
      ]);
      if (earlier) return earlier;
      if (!flow) throw new StepError(`There is no flow ${flowId}; change the tool, or remove it`);
      if (!flow.publishedVersionId) {
        throw new StepError(`The flow "${flow.name}" has no published version; publish it`);
      }
      const version = await runVersions(scope).get(flowId, flow.publishedVersionId);
      const { userId, organizationId, runId } = owner;
      const startedAt = scope.now().toISOString();
      const listed = {
        id,
        kind: 'flow' as const,
        name: flow.name,
        flowId,
        flowVersionId: flow.publishedVersionId,
        ...originInside(parent),
        startedAt,
      };
      const nestedOwner = { ...owner, listing: childListing(listed.id, listed) };
      const paid = addPayer(ports, { type: 'flow', id: flowId });
      const inside = {
        waits: waiting ? waitsPort(scope, toWaitOwner(listed)) : noWaits,
        flows: flowsPort(scope, nestedOwner, level + 1, made),
        agents: refuseWaits(paid.agents),
      };
      const meter = openMeter(setParentRun({ ...paid, ...inside }, nestedOwner.listing));
      const source = { flowId, flowName: flow.name, runId: waiting ? id : runId, startedAt, userId, inputs };
      const identity = callId ?? listed.id;
      const run = {
        steps: version.steps,
        variables: runVariables(source),
        ports: meter.ports,
        identity,
        signal,
      };
      const suspend: Suspend | undefined =
        waiting &&
        ((progress) =>
          waiting.suspend({
            listed,
            version,
            runsAs: { userId, organizationId },
            inputs,
            identity,
            ...progress,
          }));
      const facts = { k: 'f' as const, n: flow.name, id: flowId, x: listed.id };
      return recordNote(facts, () => runToEnd(flow.name, run, suspend)).then(
        async (ended) => {
          await listEnd(scope, listed, meter, { error: null, signal });
          return ended;
        },
        async (error) => {
          if (!(error instanceof CallSuspended)) await listEnd(scope, listed, meter, { error, signal });
          throw error;
        },
      );
    },
  }),
);
