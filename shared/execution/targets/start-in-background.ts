import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { agentRunQueue } from '../../domain/agents/agent-run-queue.ts';
import { originOfSurface, type RunLabels } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { agentToRun } from '../agent-runs/agent-input.ts';
import { startRun } from '../agent-runs/start-run.ts';
import { batchDefaults } from '../batches/batch.ts';
import { type BatchOwner, batchStarter, toSingleRunId } from '../batches/start-batch.ts';
import type { Target, TargetInput } from './target.ts';

export interface BackgroundRun extends TargetInput {
  target: Target;
  /** A flow runs as a batch of one, of this id. The execution is `toSingleRunId` of it, also for an agent. */
  batchId: string;
  owner: BatchOwner;
  surface: RunSurface;
  labels?: RunLabels | undefined;
  /** What is written in the transaction that starts the run. */
  alsoWrite?: readonly Write[];
}

/** A recorded run is run to its end: if its message gets lost, a sweep sends it again. */
export const backgroundStarter = /* @__PURE__ */ using(
  [batchStarter, agentToRun, agentRunQueue, 'table:write', 'table:delete', 'payloads:read', 'payloads:write'],
  (scope: Scope) => {
    async function startAgent(run: BackgroundRun, sandbox: Sandbox): Promise<void> {
      const { target, batchId, inputs, messages = [], owner, surface, labels, alsoWrite } = run;
      const id = toSingleRunId(batchId);
      const agent = await agentToRun(scope)(target.id, { environment: owner.environment });
      const request = {
        id,
        agent,
        inputs,
        messages,
        owner,
        permissions: [],
        surfaceType: surface.type,
        surface,
        origin: originOfSurface(surface, labels),
        background: true,
        alsoWrite,
      };
      await startRun(scope, request, sandbox);
      await agentRunQueue(scope).send(id);
    }

    /**
     * @throws 404 if the flow or agent does not exist; ConditionFailed or BatchRefused if the agent's run exists, or
     * `alsoWrite` is refused. A flow's batch that exists is left as it is.
     */
    return async (run: BackgroundRun, sandbox: Sandbox): Promise<void> => {
      if (run.target.kind === 'agent') return startAgent(run, sandbox);
      const { target, batchId: id, inputs = {}, messages, owner, surface, labels, alsoWrite = [] } = run;
      const input = {
        inputs,
        ...(messages && { messages }),
        surface,
        origin: originOfSurface(surface, labels),
        alsoWrite,
      };
      await batchStarter(scope).startOnce(
        target.id,
        { id, records: null, ...input, options: batchDefaults },
        owner,
      );
    };
  },
);
