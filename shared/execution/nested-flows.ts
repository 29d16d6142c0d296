import Big from 'big.js';
import type { FlowsPort, ModelUse, Ports } from '../adapters/ports.ts';
import { ifMissing } from '../core/errors.ts';
import { StepError } from '../core/step-error.ts';
import { flowStore } from '../domain/flows/flow-store.ts';
import { using } from '../platform/aws/uses.ts';
import type { Scope } from '../platform/data/scope.ts';
import { runFlow, type StepResult } from './engine/engine.ts';
import { runVariables } from './runs/run-variables.ts';
import { runVersions } from './runs/run-versions.ts';

/** How deep flows may run each other. A flow that runs itself ends here. */
const levelsMax = 5;

interface Owner {
  userId: string;
  runId: string;
}

/** Runs flows inside of a run. Their steps are not recorded: they are part of the step that runs the flow. */
export const flowsPort = /* @__PURE__ */ using(
  [flowStore, runVersions],
  (scope: Scope, owner: Owner, ports: Omit<Ports, 'flows'>, level = 1): FlowsPort => ({
    async run({ flowId, inputs, signal }) {
      if (level > levelsMax) {
        throw new StepError(`Flows run each other at most ${levelsMax} levels deep; does a flow run itself?`);
      }
      const flow = await flowStore(scope).find(flowId).catch(ifMissing(undefined));
      if (!flow) throw new StepError(`There is no flow ${flowId}; change the tool, or remove it`);
      if (!flow.publishedVersionId) {
        throw new StepError(`The flow "${flow.name}" has no published version; publish it`);
      }
      const { steps } = await runVersions(scope).get(flowId, flow.publishedVersionId);
      const { userId, runId } = owner;
      const startedAt = scope.now().toISOString();
      const inside = { ...ports, flows: flowsPort(scope, owner, ports, level + 1) };
      const source = { flowId, flowName: flow.name, runId, startedAt, userId, inputs };
      const uses: ModelUse[] = [];
      for await (const event of runFlow({ steps, variables: runVariables(source), ports: inside, signal })) {
        if (event.type === 'suspend') {
          throw new StepError(
            `The flow "${flow.name}" waits for more than ten seconds, which a tool cannot; shorten the wait`,
          );
        }
        if (event.type === 'step_end') uses.push(...useOf(event.result));
        if (event.type !== 'run_end') continue;
        if (event.success) return { output: event.output, use: sumOf(uses) };
        throw new StepError(`The flow "${flow.name}" failed: ${event.error}`, { retryable: event.retryable });
      }
      throw new Error('The engine ended without a final event');
    },
  }),
);

const useOf = ({
  modelUsed,
  promptTokens = 0,
  completionTokens = 0,
  estimatedCost = null,
}: StepResult): ModelUse[] =>
  modelUsed === undefined ? [] : [{ modelUsed, promptTokens, completionTokens, estimatedCost }];

/** The sum of several model calls. Its cost is unknown if that of one is. */
function sumOf(uses: readonly ModelUse[]): ModelUse | undefined {
  const [first, ...others] = uses;
  if (!first) return undefined;
  return others.reduce(
    (sum, use) => ({
      modelUsed: sum.modelUsed.split(', ').includes(use.modelUsed)
        ? sum.modelUsed
        : `${sum.modelUsed}, ${use.modelUsed}`,
      promptTokens: sum.promptTokens + use.promptTokens,
      completionTokens: sum.completionTokens + use.completionTokens,
      estimatedCost:
        sum.estimatedCost === null || use.estimatedCost === null
          ? null
          : new Big(sum.estimatedCost).plus(use.estimatedCost).toFixed(),
    }),
    first,
  );
}
