import { loadingCache } from '../../core/cache.ts';
import { conflict } from '../../core/errors.ts';
import type { Flow, FlowVersion } from '../../domain/flows/flow.ts';
import { flowVersionKind, stepFacts } from '../../domain/flows/flow-version-kind.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { type LoadedVersion, versionStore } from '../../domain/flows/version-store.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { versionSnapshots } from '../../platform/data/version-snapshots.ts';

/** Versions that were run lately: they never change, so a warm Lambda reads each once. */
const recent = loadingCache<LoadedVersion>({ entriesMax: 50 });

/** The versions that runs use: published ones, and snapshots of what is not published. */
export const runVersions = /* @__PURE__ */ using(['table:write', payloadStore], (scope: Scope) => {
  const { table, now } = scope;
  const payloads = payloadStore(scope);
  const snapshots = versionSnapshots(scope, flowVersionKind);

  /** A version that does not change, from memory where it was run lately. */
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

  return {
    get,

    /**
     * The version that a run of a flow uses: the published one, or the draft where nothing was published yet. A test
     * key runs the draft where there is one. A draft is kept as a test version, since it may change while it runs.
     */
    async of(flow: Flow, environment: 'production' | 'test'): Promise<LoadedVersion> {
      const { draft, publishedVersionId } = flow;
      if (publishedVersionId && !(draft && environment === 'test')) return get(flow.id, publishedVersionId);
      if (!draft) throw conflict('The flow has neither a draft nor a version');
      const { number, createdAt } = draft;
      const steps = (await payloads.fetch(flow.steps)) as FlowStep[];
      const version = snapshotOf(flow.id, { number, type: 'test', createdAt }, steps);
      await snapshots.keep(version.id, async () => ({ ...version, steps: flow.steps }));
      return version;
    },

    /** The version that a run of just these steps uses. Nothing is written: `keep` does that where its run is kept. */
    virtual: (flow: { id: string; number: number }, steps: FlowStep[]): LoadedVersion =>
      snapshotOf(flow.id, { number: flow.number, type: 'virtual', createdAt: now().toISOString() }, steps),

    /** Writes down a virtual version, once. @param ttl Unix seconds after which nobody asks for it. */
    async keep({ steps, ...version }: LoadedVersion, ttl?: number): Promise<void> {
      if (version.type !== 'virtual') return;
      const offloaded = () => payloads.offload(`${version.flowId}/${version.id}`, steps);
      await snapshots.keep(version.id, async () => ({ ...version, steps: await offloaded() }), ttl);
    },
  };
});
