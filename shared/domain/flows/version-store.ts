import { invalidAt, notFound } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  anyVersionPartition,
  type Flow,
  type FlowVersion,
  FlowVersion as FlowVersionSchema,
  flowVersionEntity,
  versionsPartition,
} from './flow.ts';
import { flowStore } from './flow-store.ts';
import type { FlowStep } from './steps/step.ts';

export type VersionStore = ReturnType<typeof versionStore>;
export type LoadedVersion = Omit<FlowVersion, 'steps'> & { steps: FlowStep[] };

/** What lists show of a version. */
const VersionSummary = FlowVersionSchema.pick({
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

/** Versions of a flow: a draft that changes, and published and test ones that never do. */
export const versionStore = /* @__PURE__ */ using([flowStore, payloadStore], (scope: Scope) => {
  const { table, now } = scope;
  const flows = flowStore(scope);
  const payloads = payloadStore(scope);

  const load = async (version: FlowVersion): Promise<LoadedVersion> => ({
    ...version,
    steps: (await payloads.fetch(version.steps)) as FlowStep[],
  });

  /** One of a flow's versions. @throws 400 for a version of another flow, 404 for an unknown one. */
  async function find(flow: Flow, versionId: string): Promise<FlowVersion> {
    if (flow.draft?.id === versionId) return draftOf(flow);
    const version = await table.get(flowVersionEntity, { flowId: flow.id, id: versionId });
    if (version) return version;
    const elsewhere = await table.query({
      partition: anyVersionPartition(table.tenant),
      index: 2,
      from: versionId,
      to: versionId,
      limit: 1,
    });
    if (elsewhere.items.length === 0) throw notFound('Flow version');
    throw invalidAt('versionId', 'VERSION_OF_ANOTHER_FLOW', 'The version belongs to another flow');
  }

  /** Turns the draft into the published version; it takes effect at once. */
  async function publishDraft(flowId: string, expectedId?: string): Promise<string> {
    let publishedId = '';
    await flows.change(flowId, async (flow) => {
      if (!flow.draft || (expectedId && flow.draft.id !== expectedId)) throw notFound('Draft version');
      publishedId = flow.draft.id;
      const version: FlowVersion = { ...draftOf(flow), type: 'published', createdAt: now().toISOString() };
      return {
        flow: {
          ...flow,
          draft: null,
          publishedVersionId: publishedId,
          publishedSecretKeys: flow.secretKeys,
          updatedAt: version.createdAt,
        },
        beside: [table.writes.insert(flowVersionEntity, version)],
      };
    });
    return publishedId;
  }

  /** A version as a worker reads it: without its flow, which may have gone on to another. */
  async function immutable(flowId: string, id: string): Promise<LoadedVersion> {
    const version = await table.get(flowVersionEntity, { flowId, id }, { consistent: true });
    if (!version) throw notFound('Flow version');
    return load(version);
  }

  return {
    publishDraft,

    async get(flowId: string, versionId: string): Promise<LoadedVersion> {
      return load(await find(await flows.find(flowId), versionId));
    },

    immutable,

    async published(flowId: string): Promise<LoadedVersion> {
      const { publishedVersionId, ...flow } = await flows.find(flowId);
      if (!publishedVersionId) throw notFound('Published version');
      return load(await find({ publishedVersionId, ...flow }, publishedVersionId));
    },

    async list(flowId: string): Promise<{ flow: Flow; versions: VersionSummary[] }> {
      const flow = await flows.find(flowId);
      const versions: VersionSummary[] = flow.draft ? [VersionSummary.parse(draftOf(flow))] : [];
      const partition = versionsPartition(table.tenant, flowId);
      for (const { SK1, summary } of await table.queryAll({ partition, index: 1, newestFirst: true })) {
        versions.push(VersionSummary.parse({ ...(summary as object), id: SK1 }));
      }
      return { flow, versions: versions.sort((a, b) => b.number - a.number) };
    },

    /** Points the flow at a version: its draft, or one that was published before. */
    async publish(flowId: string, versionId: string): Promise<void> {
      const version = await find(await flows.find(flowId), versionId);
      if (version.type === 'draft') return void (await publishDraft(flowId, versionId));
      if (version.type !== 'published') {
        const message = `A ${version.type} version is the record of a run; publish the draft`;
        throw invalidAt('versionId', 'NOT_PUBLISHABLE', message);
      }
      await flows.change(flowId, async (flow) => ({
        flow: {
          ...flow,
          publishedVersionId: versionId,
          publishedSecretKeys: version.secretKeys,
          updatedAt: now().toISOString(),
        },
      }));
    },
  };
});

export const stepSummaryOf = (stepCount: number) => `${stepCount} ${stepCount === 1 ? 'step' : 'steps'}`;

/** The version that a flow's draft is. */
export const draftOf = ({ id: flowId, draft, steps, stepCount, secretKeys }: Flow): FlowVersion => {
  if (!draft) throw notFound('Draft version');
  return {
    id: draft.id,
    flowId,
    number: draft.number,
    type: 'draft',
    steps,
    stepCount,
    secretKeys,
    stepSummary: stepSummaryOf(stepCount),
    label: null,
    notes: null,
    createdAt: draft.createdAt,
  };
};
