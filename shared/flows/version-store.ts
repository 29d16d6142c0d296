import { decodeTime } from 'ulid';
import { ConditionFailed } from '../data/condition-failed.ts';
import { payloadStore } from '../data/payloads.ts';
import { ApiError, invalidAt, notFound } from '../http/errors.ts';
import { derivedId } from '../ids.ts';
import type { Scope } from '../runtime.ts';
import {
  anyVersionPartition,
  type Flow,
  type FlowVersion,
  FlowVersion as FlowVersionSchema,
  flowVersionEntity,
  type StoredStep,
  versionsPartition,
} from './flow.ts';
import { flowStore } from './flow-store.ts';

/** Versions that were run lately: they never change, so a warm worker reads each once. */
const recent = new Map<string, Promise<LoadedVersion>>();
const recentMax = 50;

/** Snapshots that this process has seen in the table, so that running them again costs no write. */
const kept = new Set<string>();
const keptMax = 10_000;

export type VersionStore = ReturnType<typeof versionStore>;
export type LoadedVersion = Omit<FlowVersion, 'steps'> & { steps: StoredStep[] };

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
export function versionStore(scope: Scope) {
  const { table, now } = scope;
  const flows = flowStore(scope);
  const payloads = payloadStore(scope);

  const load = async (version: FlowVersion): Promise<LoadedVersion> => ({
    ...version,
    steps: (await payloads.fetch(version.steps)) as StoredStep[],
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
        flow: { ...flow, draft: null, publishedVersionId: publishedId, updatedAt: version.createdAt },
        beside: [table.writes.insert(flowVersionEntity, version)],
      };
    });
    return publishedId;
  }

  const nameOf = (id: string) => `${table.tenant} ${id}`;
  const isKept = (id: string) => kept.has(nameOf(id));

  /** A version as a worker reads it: without its flow, which may have gone on to another. */
  async function immutable(flowId: string, id: string): Promise<LoadedVersion> {
    const version = await table.get(flowVersionEntity, { flowId, id }, { consistent: true });
    if (!version) throw notFound('Flow version');
    return load(version);
  }

  /** The same, from memory where it was run lately. */
  function toRunAgain(flowId: string, id: string): Promise<LoadedVersion> {
    const name = nameOf(id);
    const known = recent.get(name);
    if (known) return known;
    const loading = immutable(flowId, id);
    loading.catch(() => recent.delete(name));
    recent.set(name, loading);
    const [oldest] = recent.keys();
    if (recent.size > recentMax && oldest) recent.delete(oldest);
    return loading;
  }

  /** Writes down a version that may be there already: its id tells its content. */
  async function keep(version: FlowVersion): Promise<void> {
    if (isKept(version.id)) return;
    try {
      await table.commit([table.writes.insert(flowVersionEntity, version)]);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
    if (kept.size >= keptMax) kept.clear();
    kept.add(nameOf(version.id));
  }

  return {
    publishDraft,

    async get(flowId: string, versionId: string): Promise<LoadedVersion> {
      return load(await find(await flows.find(flowId), versionId));
    },

    immutable,
    toRunAgain,

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
        flow: { ...flow, publishedVersionId: versionId, updatedAt: now().toISOString() },
      }));
    },

    /**
     * The version that a run uses: the published one, or the draft where nothing was published yet. A test key
     * runs the draft where there is one. A draft is kept as a test version, since it may change while it runs.
     */
    async toRun(flow: Flow, environment: 'production' | 'test'): Promise<LoadedVersion> {
      const useDraft = flow.draft && (environment === 'test' || !flow.publishedVersionId);
      if (!useDraft) {
        if (!flow.publishedVersionId)
          throw new ApiError(409, 'Conflict', 'The flow has neither a draft nor a version');
        return toRunAgain(flow.id, flow.publishedVersionId);
      }
      const draft = draftOf(flow);
      const { steps } = await load(draft);
      const version = snapshotOf({ ...draft, type: 'test' }, steps);
      await keep({ ...version, steps: flow.steps });
      return { ...version, steps };
    },

    /**
     * The version that a run of just these steps uses. Nothing is written: {@link keep} does that where its run is
     * kept.
     */
    virtual: (flow: { id: string; number: number }, steps: StoredStep[]): LoadedVersion => ({
      ...snapshotOf(
        { flowId: flow.id, number: flow.number, type: 'virtual', createdAt: now().toISOString() },
        steps,
      ),
      steps,
    }),

    /** Writes down a snapshot, once. @param ttl Unix seconds after which nobody asks for it. */
    async keepVirtual({ steps, ...version }: LoadedVersion, ttl?: number): Promise<void> {
      if (isKept(version.id)) return;
      const stowed = await payloads.stow(`${version.flowId}/${version.id}`, steps);
      await keep({ ...version, steps: stowed, ...(ttl !== undefined && { ttl }) });
    },
  };
}

/** What is never published: a version whose id follows from its flow and its steps, so that the same is kept once. */
function snapshotOf(
  version: Pick<FlowVersion, 'flowId' | 'number' | 'type' | 'createdAt'>,
  steps: readonly StoredStep[],
): Omit<FlowVersion, 'steps'> {
  const { flowId, number, type, createdAt } = version;
  const since = decodeTime(flowId.slice('flow_'.length).toUpperCase());
  return {
    id: derivedId('flowver', since, flowId, number, type, JSON.stringify(steps)),
    flowId,
    number,
    type,
    stepCount: steps.length,
    stepSummary: summaryOf(steps.length),
    label: null,
    notes: null,
    createdAt,
  };
}

const summaryOf = (stepCount: number) => `${stepCount} ${stepCount === 1 ? 'step' : 'steps'}`;

const draftOf = ({ id: flowId, draft, steps, stepCount }: Flow): FlowVersion => {
  if (!draft) throw notFound('Draft version');
  return {
    id: draft.id,
    flowId,
    number: draft.number,
    type: 'draft',
    steps,
    stepCount,
    stepSummary: summaryOf(stepCount),
    label: null,
    notes: null,
    createdAt: draft.createdAt,
  };
};
