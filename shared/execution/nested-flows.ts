import type { FlowsPort } from '../adapters/ports/flows-port.ts';
import { ifMissing } from '../core/errors/errors.ts';
import { StepError } from '../core/errors/step-error.ts';
import { flowStore } from '../domain/flows/flow-store.ts';
import { using } from '../platform/aws/uses.ts';
import type { Scope } from '../platform/data/scope.ts';
import { runFlow } from './engine/engine.ts';
import { runVariables } from './runs/run-variables.ts';
import { runVersions } from './runs/run-versions.ts';

/** How deep flows may run each other. A flow that runs itself ends here. */
const levelsMax = 5;
/** How many flows may run inside of one run. A model that calls its own flow many times would multiply with each level. */
const runsMax = 500;

interface Owner {
  userId: string;
  runId: string;
}

/** Runs flows inside of a run. Their steps are not recorded: they are part of the step that runs the flow. */
export const flowsPort = /* @__PURE__ */ using(
  [flowStore, runVersions],
  (scope: Scope, owner: Owner, level = 1, made = { runs: 0 }): FlowsPort => ({
    async run({ flowId, inputs, ports, signal }) {
      if (level > levelsMax) {
        throw new StepError(`Flows run each other at most ${levelsMax} levels deep; does a flow run itself?`);
      }
      if (++made.runs > runsMax) {
        throw new StepError(`A run runs at most ${runsMax} flows as tools; does a flow run itself?`);
      }
      const flow = await flowStore(scope).find(flowId).catch(ifMissing(undefined));
      if (!flow) throw new StepError(`There is no flow ${flowId}; change the tool, or remove it`);
      if (!flow.publishedVersionId) {
        throw new StepError(`The flow "${flow.name}" has no published version; publish it`);
      }
      const { steps } = await runVersions(scope).get(flowId, flow.publishedVersionId);
      const { userId, runId } = owner;
      const startedAt = scope.now().toISOString();
      const inside = { ...ports, flows: flowsPort(scope, owner, level + 1, made) };
      const source = { flowId, flowName: flow.name, runId, startedAt, userId, inputs };
      for await (const event of runFlow({ steps, variables: runVariables(source), ports: inside, signal })) {
        if (event.type === 'suspend') {
          throw new StepError(
            `The flow "${flow.name}" waits for more than ten seconds, which a tool cannot; shorten the wait`,
          );
        }
        if (event.type !== 'run_end') continue;
        if (event.success) return { output: event.output };
        throw new StepError(`The flow "${flow.name}" failed: ${event.error}`, { retryable: event.retryable });
      }
      throw new Error('The engine ended without a final event');
    },
  }),
);
