import { decodeTime } from 'ulid';
import { conflict } from '../../core/errors.ts';
import { derivedId } from '../../core/ids.ts';
import { type Flow, type FlowVersion, flowVersionEntity } from '../../domain/flows/flow.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import {
  draftOf,
  type LoadedVersion,
  stepSummaryOf,
  versionStore,
} from '../../domain/flows/version-store.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Versions that were run lately: they never change, so a warm Lambda reads each once. */
const recent = new Map<string, Promise<LoadedVersion>>();
const recentMax = 50;

/** Snapshots that this process has seen in the table, so that running them again costs no write. */
const kept = new Set<string>();
const keptMax = 10_000;

/** The versions that runs use: published ones, and snapshots of what is not published. */
export const runVersions = /* @__PURE__ */ using(['table:write', payloadStore], (scope: Scope) => {
  const { table, now } = scope;
  const payloads = payloadStore(scope);

  /** A version that does not change, from memory where it was run lately. */
  function get(flowId: string, id: string): Promise<LoadedVersion> {
    const name = `${table.tenant} ${id}`;
    const known = recent.get(name);
    if (known) return known;
    const loading = versionStore(scope).immutable(flowId, id);
    loading.catch(() => recent.delete(name));
    recent.set(name, loading);
    const [oldest] = recent.keys();
    if (recent.size > recentMax && oldest) recent.delete(oldest);
    return loading;
  }

  /** Writes down a snapshot that may be there already: its id tells its content. */
  async function keepOnce(
    id: string,
    ttl: number | undefined,
    make: () => Promise<FlowVersion>,
  ): Promise<void> {
    const name = `${table.tenant} ${id}${ttl === undefined ? '' : ' for a time'}`;
    if (kept.has(name)) return;
    const version = await make();
    // One that is kept for good takes the place of one that is kept for a time.
    const write = ttl === undefined ? table.writes.put(flowVersionEntity, version) : undefined;
    try {
      await table.commit([write ?? table.writes.insert(flowVersionEntity, { ...version, ttl })]);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
    if (kept.size >= keptMax) kept.clear();
    kept.add(name);
  }

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
      const steps = (await payloads.fetch(flow.steps)) as FlowStep[];
      const version = snapshotOf({ ...draftOf(flow), type: 'test' }, steps);
      await keepOnce(version.id, undefined, async () => ({ ...version, steps: flow.steps }));
      return { ...version, steps };
    },

    /** The version that a run of just these steps uses. Nothing is written: `keep` does that where its run is kept. */
    virtual: (flow: { id: string; number: number }, steps: FlowStep[]): LoadedVersion => ({
      ...snapshotOf(
        { flowId: flow.id, number: flow.number, type: 'virtual', createdAt: now().toISOString() },
        steps,
      ),
      steps,
    }),

    /** Writes down a virtual version, once. @param ttl Unix seconds after which nobody asks for it. */
    async keep({ steps, ...version }: LoadedVersion, ttl?: number): Promise<void> {
      if (version.type !== 'virtual') return;
      await keepOnce(version.id, ttl, async () => ({
        ...version,
        steps: await payloads.offload(`${version.flowId}/${version.id}`, steps),
      }));
    },
  };
});

/** What is never published: a version whose id follows from its flow and its steps, so that the same is kept once. */
function snapshotOf(
  version: Pick<FlowVersion, 'flowId' | 'number' | 'type' | 'createdAt'>,
  steps: readonly FlowStep[],
): Omit<FlowVersion, 'steps'> {
  const { flowId, number, type, createdAt } = version;
  const since = decodeTime(flowId.slice('flow_'.length).toUpperCase());
  return {
    id: derivedId('flowver', since, flowId, number, type, JSON.stringify(steps)),
    flowId,
    number,
    type,
    stepCount: steps.length,
    stepSummary: stepSummaryOf(steps.length),
    label: null,
    notes: null,
    createdAt,
  };
}
