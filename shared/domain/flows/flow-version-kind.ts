import type { VersionKind } from '../../platform/data/versions/version-kind.ts';
import { anyVersionPartition, type Flow, FlowVersion, flowVersionEntity, versionsPartition } from './flow.ts';

const FlowVersionSummary = FlowVersion.pick({
  id: true,
  number: true,
  type: true,
  stepCount: true,
  stepSummary: true,
  label: true,
  notes: true,
  createdAt: true,
});
export type FlowVersionSummary = ReturnType<typeof FlowVersionSummary.parse>;

/** The versions of flows. Their content is the steps. */
export const flowVersionKind: VersionKind<Flow, FlowVersion, FlowVersionSummary> = {
  noun: 'flow',
  codeOfForeign: 'VERSION_OF_ANOTHER_FLOW',
  idPrefix: 'flowver',
  entity: flowVersionEntity,
  keyOf: (flowId, id) => ({ flowId, id }),
  versionsOf: versionsPartition,
  allVersions: anyVersionPartition,
  summary: FlowVersionSummary,
  contentOf: ({ id, steps, stepCount, secretKeys }) => ({
    steps,
    secretKeys,
    ...summarizeStepCount(id, stepCount),
  }),
  publishedFields: ({ secretKeys }) => ({ publishedSecretKeys: secretKeys }),
};

export const summarizeStepCount = (flowId: string, stepCount: number) => ({
  flowId,
  stepCount,
  stepSummary: `${stepCount} ${stepCount === 1 ? 'step' : 'steps'}`,
});
