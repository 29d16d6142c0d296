import { loadingCache } from '../../core/concurrency/cache.ts';
import { conflict } from '../../core/errors/errors.ts';
import type { Flow, FlowVersion } from '../../domain/flows/flow.ts';
import { flowVersionKind, stepFacts } from '../../domain/flows/flow-version-kind.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { type LoadedVersion, versionStore } from '../../domain/flows/version-store.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { versionSnapshots } from '../../platform/data/versions/version-snapshots.ts';

/** Caches recently run versions. They are immutable, so a warm Lambda reads each once. */
const recent = loadingCache<LoadedVersion>({ entriesMax: 50 });

/** The versions that runs use: published ones, and snapshots of unpublished steps. */
export const runVersions = /* @__PURE__ */ using(['table:write', payloadStore], (scope: Scope) => {
  const { table, now } = scope;
  const payloads = payloadStore(scope);
  const snapshots = versionSnapshots(scope, flowVersionKind);

  const get = (flowId: string, id: string): Promise<LoadedVersion> =>
    recent(`${table.tenant} ${id}`, () => versionStore(scope).immutable(flowId, id));

  const snapshotOf = (
    flowId: string,
    facts: Pick<FlowVersion, 'number' | 'type' | 'createdAt'>,
    steps: FlowStep[],
  ): LoadedVersion => ({
    ...snapshots.of(flowId, facts, steps),
    ...stepFacts(flowId, steps.length),
    steps,
  });

  const draftOf = async ({ id, steps }: Flow, { number, createdAt }: NonNullable<Flow['draft']>) =>
    snapshotOf(id, { number, type: 'test', createdAt }, (await payloads.fetch(steps)) as FlowStep[]);

  /** A version that is named, or what the environment decides. Writes nothing. */
  async function find(
    flow: Flow,
    environment: 'production' | 'test',
    named?: string,
  ): Promise<{ version: LoadedVersion; isDraft: boolean }> {
    const { draft, publishedVersionId } = flow;
    if (named && named !== 'draft' && named !== 'published') {
      return { version: await get(flow.id, named), isDraft: false };
    }
    if (named === 'published' && !publishedVersionId) {
      throw conflict('The flow has no published version; publish it, or name the draft');
    }
    const takesDraft = named === undefined ? environment === 'test' : named === 'draft';
    if (publishedVersionId && !(draft && takesDraft)) {
      return { version: await get(flow.id, publishedVersionId), isDraft: false };
    }
    if (!draft) throw conflict('The flow has neither a draft nor a published version; save its steps first');
    return { version: await draftOf(flow, draft), isDraft: true };
  }

  return {
    get,

    /** The version that a run would take. @param named `published`, `draft`, or the id of one */
    async peek(flow: Flow, environment: 'production' | 'test', named?: string): Promise<LoadedVersion> {
      return (await find(flow, environment, named)).version;
    },

    /**
     * The published version, or the draft if nothing is published. A test key runs the draft if there is one. Stores a
     * snapshot of the draft as a test version, because the draft may change during the run.
     */
    async of(flow: Flow, environment: 'production' | 'test', named?: string): Promise<LoadedVersion> {
      const { version, isDraft } = await find(flow, environment, named);
      if (isDraft) await snapshots.keep(version.id, async () => ({ ...version, steps: flow.steps }));
      return version;
    },

    /** A version of exactly these steps. Writes nothing; `keep` stores it if its run is stored. */
    virtual: (flow: { id: string; number: number }, steps: FlowStep[]): LoadedVersion =>
      snapshotOf(flow.id, { number: flow.number, type: 'virtual', createdAt: now().toISOString() }, steps),

    /** Stores a virtual version unless it is stored. Ignores other versions. @param ttl Expiry in Unix seconds. */
    async keep({ steps, ...version }: LoadedVersion, ttl?: number): Promise<void> {
      if (version.type !== 'virtual') return;
      const offloaded = () => payloads.offload(`${version.flowId}/${version.id}`, steps);
      await snapshots.keep(version.id, async () => ({ ...version, steps: await offloaded() }), ttl);
    },
  };
});
