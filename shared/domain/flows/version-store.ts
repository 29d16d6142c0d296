import { using } from '../../platform/aws/uses.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { VersionKind } from '../../platform/data/versions/version-kind.ts';
import { manageVersions, readVersions } from '../../platform/data/versions/versioned.ts';
import { anyVersionPartition, type Flow, FlowVersion, flowVersionEntity, versionsPartition } from './flow.ts';
import { flowChanger, flowFinder } from './flow-store.ts';
import type { FlowStep } from './steps/step.ts';

export type LoadedVersion = Omit<FlowVersion, 'steps'> & { steps: FlowStep[] };

/** Versions of flows with their steps loaded. Errors are those of `versioned`. */
export const versionFinder = /* @__PURE__ */ using([flowFinder, payloadReader], (scope: Scope) => {
  const flows = flowFinder(scope);
  const payloads = payloadReader(scope);
  const versions = readVersions(scope, flowVersionKind);

  const load = async (version: FlowVersion): Promise<LoadedVersion> => ({
    ...version,
    steps: (await payloads.fetch(version.steps)) as FlowStep[],
  });

  return {
    get: async (flowId: string, versionId: string): Promise<LoadedVersion> =>
      load(await versions.find(await flows.find(flowId), versionId)),

    immutable: async (flowId: string, id: string): Promise<LoadedVersion> =>
      load(await versions.getImmutable(flowId, id)),

    published: async (flowId: string): Promise<LoadedVersion> =>
      load(await versions.findPublished(await flows.find(flowId))),

    async list(flowId: string): Promise<{ flow: Flow; versions: FlowVersionSummary[] }> {
      const flow = await flows.find(flowId);
      return { flow, versions: await versions.list(flow) };
    },
  };
});

export const versionStore = /* @__PURE__ */ using([versionFinder, flowChanger], (scope: Scope) => {
  const documents = { find: flowFinder(scope).find, change: flowChanger(scope) };
  const { publish, publishDraft } = manageVersions(scope, flowVersionKind, documents);
  return { ...versionFinder(scope), publish, publishDraft };
});

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
type FlowVersionSummary = ReturnType<typeof FlowVersionSummary.parse>;

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
