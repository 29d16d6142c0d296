import type { VersionKind } from '../../platform/data/versions/version-kind.ts';
import { anyVersionPartition, type Flow, FlowVersion, flowVersionEntity, versionsPartition } from './flow.ts';

const VersionSummary = FlowVersion.pick({
  id: true,
  number: true,
  type: true,
  stepCount: true,
  stepSummary: true,
  label: true,
  notes: true,
  createdAt: true,
});
export type VersionSummary = ReturnType<typeof VersionSummary.parse>;

/** The versions of flows. Their content is the steps. */
export const flowVersionKind: VersionKind<Flow, FlowVersion, VersionSummary> = {
  noun: 'flow',
  codeOfForeign: 'VERSION_OF_ANOTHER_FLOW',
  idPrefix: 'flowver',
  entity: flowVersionEntity,
  keyOf: (flowId, id) => ({ flowId, id }),
  versionsOf: versionsPartition,
  allVersions: anyVersionPartition,
  summary: VersionSummary,
  contentOf: ({ id, steps, stepCount, secretKeys }) => ({ steps, secretKeys, ...stepFacts(id, stepCount) }),
  publishedFields: ({ secretKeys }) => ({ publishedSecretKeys: secretKeys }),
};

export const stepFacts = (flowId: string, stepCount: number) => ({
  flowId,
  stepCount,
  stepSummary: `${stepCount} ${stepCount === 1 ? 'step' : 'steps'}`,
});
