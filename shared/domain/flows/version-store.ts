import { using } from '../../platform/aws/uses.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { manageVersions, readVersions } from '../../platform/data/versions/versioned.ts';
import type { Flow, FlowVersion } from './flow.ts';
import { flowChanger, flowFinder } from './flow-store.ts';
import { type FlowVersionSummary, flowVersionKind } from './flow-version-kind.ts';
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
