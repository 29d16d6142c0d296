import { using } from '../../platform/aws/uses.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { versioned } from '../../platform/data/versions/versioned.ts';
import type { Flow, FlowVersion } from './flow.ts';
import { flowStore } from './flow-store.ts';
import { type FlowVersionSummary, flowVersionKind } from './flow-version-kind.ts';
import type { FlowStep } from './steps/step.ts';

export type LoadedVersion = Omit<FlowVersion, 'steps'> & { steps: FlowStep[] };

/** Versions of flows with their steps loaded. Errors are those of `versioned`. */
export const versionStore = /* @__PURE__ */ using([flowStore, payloadStore], (scope: Scope) => {
  const flows = flowStore(scope);
  const payloads = payloadStore(scope);
  const versions = versioned(scope, flowVersionKind, flows);

  const load = async (version: FlowVersion): Promise<LoadedVersion> => ({
    ...version,
    steps: (await payloads.fetch(version.steps)) as FlowStep[],
  });

  return {
    publish: versions.publish,
    publishDraft: versions.publishDraft,

    get: async (flowId: string, versionId: string): Promise<LoadedVersion> =>
      load(await versions.find(await flows.find(flowId), versionId)),

    immutable: async (flowId: string, id: string): Promise<LoadedVersion> =>
      load(await versions.immutable(flowId, id)),

    published: async (flowId: string): Promise<LoadedVersion> =>
      load(await versions.published(await flows.find(flowId))),

    async list(flowId: string): Promise<{ flow: Flow; versions: FlowVersionSummary[] }> {
      const flow = await flows.find(flowId);
      return { flow, versions: await versions.list(flow) };
    },
  };
});
