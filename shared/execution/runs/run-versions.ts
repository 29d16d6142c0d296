/**
 * The version of a flow that a run takes, and the steps of the flows that it runs, fixed at its start.
 * `resolve` chooses for a new run (draft or published, by the environment or by name) and stores a snapshot of a draft,
 * since the draft may change during the run; `peek` does the same and writes nothing. A run stores the ids of its inner
 * versions (`subFlows`), and `getStarted` gives every later process of the run the same steps.
 * Versions are immutable, so a process caches them.
 */
import { createLoadingCache } from '../../core/cache.ts';
import { conflict, ifMissing } from '../../core/errors/errors.ts';
import type { Flow, FlowVersion } from '../../domain/flows/flow.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { linkSteps } from '../../domain/flows/sub-flows/link.ts';
import {
  listFlowTargets,
  loadSubFlows,
  type ReadSteps,
  type SubFlows,
} from '../../domain/flows/sub-flows/sub-flows.ts';
import {
  flowVersionKind,
  type LoadedVersion,
  summarizeStepCount,
  versionFinder,
} from '../../domain/flows/version-store.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { versionSnapshots } from '../../platform/data/versions/version-snapshots.ts';

/** Caches recently run versions. They are immutable, so a warm Lambda reads each once. */
const recent = createLoadingCache<LoadedVersion>({ entriesMax: 50 });

/** The same with the steps of the flows that they run. */
const recentPinned = createLoadingCache<RunVersion>({ entriesMax: 50, charactersMax: 200_000 });

/** The versions that runs use: published ones, and snapshots of unpublished steps. */
export const runVersions = /* @__PURE__ */ using(['table:write', payloadStore], (scope: Scope) => {
  const { table, now } = scope;
  const payloads = payloadStore(scope);
  const snapshots = versionSnapshots(scope, flowVersionKind);

  const load = (flowId: string, id: string): Promise<LoadedVersion> =>
    recent(`${table.tenant} ${id}`, () => versionFinder(scope).immutable(flowId, id));

  const loadSteps = async (flowId: string, id: string) => (await load(flowId, id)).steps;

  /** With the steps of the flows that it runs, as they are now, unless it has them. */
  const link = async (version: RunVersion): Promise<RunVersion> =>
    version.subFlows ? version : linkSubFlows(scope, version, loadSteps);

  const toSnapshot = (
    flowId: string,
    facts: Pick<FlowVersion, 'number' | 'type' | 'createdAt'>,
    steps: FlowStep[],
  ): LoadedVersion => ({
    ...snapshots.build(flowId, facts, steps),
    ...summarizeStepCount(flowId, steps.length),
    steps,
  });

  const loadDraft = async ({ id, steps }: Flow, { number, createdAt }: NonNullable<Flow['draft']>) =>
    toSnapshot(id, { number, type: 'test', createdAt }, (await payloads.fetch(steps)) as FlowStep[]);

  /** A version that is named, or what the environment decides. Writes nothing. */
  async function find(
    flow: Flow,
    environment: 'production' | 'test',
    named?: string,
  ): Promise<{ version: LoadedVersion; isDraft: boolean }> {
    const { draft, publishedVersionId } = flow;
    if (named && named !== 'draft' && named !== 'published') {
      return { version: await load(flow.id, named), isDraft: false };
    }
    if (named === 'published' && !publishedVersionId) {
      throw conflict('The flow has no published version; publish it, or name the draft');
    }
    const takesDraft = named === undefined ? environment === 'test' : named === 'draft';
    if (publishedVersionId && !(draft && takesDraft)) {
      return { version: await load(flow.id, publishedVersionId), isDraft: false };
    }
    if (!draft) throw conflict('The flow has neither a draft nor a published version; save its steps first');
    return { version: await loadDraft(flow, draft), isDraft: true };
  }

  return {
    link,

    /** For a new run. */
    get: async (flowId: string, id: string): Promise<RunVersion> => link(await load(flowId, id)),

    /** For a run that has started. @param subFlows The flows that it runs, as they were then */
    async getStarted(flowId: string, id: string, subFlows: SubFlows | undefined): Promise<RunVersion> {
      if (!subFlows) return load(flowId, id);
      const name = `${table.tenant} ${id} ${JSON.stringify(subFlows)}`;
      return recentPinned(name, async () => linkSubFlows(scope, await load(flowId, id), loadSteps, subFlows));
    },

    /** The version that a run would take. @param named `published`, `draft`, or the id of one */
    async peek(flow: Flow, environment: 'production' | 'test', named?: string): Promise<RunVersion> {
      return link((await find(flow, environment, named)).version);
    },

    /**
     * The published version, or the draft if nothing is published. A test key runs the draft if there is one. Stores a
     * snapshot of the draft as a test version, because the draft may change during the run.
     */
    async resolve(flow: Flow, environment: 'production' | 'test', named?: string): Promise<RunVersion> {
      const { version, isDraft } = await find(flow, environment, named);
      if (isDraft) await snapshots.keep(version.id, async () => ({ ...version, steps: flow.steps }));
      return link(version);
    },

    /** A version of exactly these steps. Writes nothing; `keep` stores it if its run is stored. */
    createVirtual: (flow: { id: string; number: number }, steps: FlowStep[]): LoadedVersion =>
      toSnapshot(flow.id, { number: flow.number, type: 'virtual', createdAt: now().toISOString() }, steps),

    /** Stores a virtual version unless it is stored. Ignores other versions. @param ttl Expiry in Unix seconds. */
    async keep({ steps, subFlows: _, ...version }: RunVersion, ttl?: number): Promise<void> {
      if (version.type !== 'virtual') return;
      const offloadSteps = () => payloads.offload(`${version.flowId}/${version.id}`, steps);
      await snapshots.keep(version.id, async () => ({ ...version, steps: await offloadSteps() }), ttl);
    },
  };
});

/** The version that a run runs, whose `flow` steps hold the steps of the flows that they run. */
export interface RunVersion extends LoadedVersion {
  /** Absent if it runs no other flow. Store it with the run, so that the run goes on with the same versions. */
  subFlows?: SubFlows;
}

/** Names what a stored run runs. */
export interface StoredVersion {
  flowId: string;
  flowVersionId: string;
  subFlows?: SubFlows | undefined;
}

/** The steps of a run that is shown. None if the flow was deleted, and its version with it. */
export async function readStoredSteps(
  scope: Scope,
  { flowId, flowVersionId, subFlows }: StoredVersion,
): Promise<FlowStep[]> {
  const versions = versionFinder(scope);
  const version = await versions.immutable(flowId, flowVersionId).catch(ifMissing(undefined));
  if (!version || !subFlows) return version?.steps ?? [];
  const read = async (id: string, versionId: string) => (await versions.immutable(id, versionId)).steps;
  return (await linkSubFlows(scope, version, read, subFlows)).steps;
}

/** @param startedSubFlows As they were when the run started. Without it, they are looked up. */
async function linkSubFlows(
  scope: Pick<Scope, 'table'>,
  version: LoadedVersion,
  readSteps: ReadSteps,
  startedSubFlows?: SubFlows,
): Promise<RunVersion> {
  if (listFlowTargets(version.steps).length === 0) return version;
  const { flows, versions } = await loadSubFlows(scope, version.steps, readSteps, startedSubFlows);
  return { ...version, steps: linkSteps(version, flows, versions), subFlows: flows };
}
