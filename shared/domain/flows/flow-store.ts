import { conflict, notFound } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { tombstoneOf } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/pages.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type Flow, flowEntity, flowsPartition } from './flow.ts';
import { keysOfSteps, useWrites } from './secret-keys.ts';
import type { FlowStep } from './steps/step.ts';

export type FlowStore = ReturnType<typeof flowStore>;

/** A flow with its steps fetched. */
export type LoadedFlow = Omit<Flow, 'steps'> & { steps: FlowStep[] };

export interface FlowChanges {
  name?: string | undefined;
  description?: string | null | undefined;
  steps?: FlowStep[] | undefined;
}

const attemptsMax = 5;
const markedEveryMs = 60_000;
const exists = { expression: 'attribute_exists(PK)' };

export const flowStore = /* @__PURE__ */ using(['table:write', payloadStore], (scope: Scope) => {
  const { table, now, newId } = scope;
  const payloads = payloadStore(scope);

  async function find(id: string): Promise<Flow> {
    const flow = await table.get(flowEntity, { id });
    if (!flow) throw notFound('Flow');
    return flow;
  }

  /**
   * Applies a change to the flow as it is now, whole or not at all. When another writer comes between, the
   * change is made anew on what that one left; after five times the caller gets a 409.
   */
  async function change(
    id: string,
    decide: (flow: Flow) => Promise<{ flow: Flow; beside?: Write[] }>,
  ): Promise<Flow> {
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const before = await find(id);
      const { flow, beside = [] } = await decide(before);
      const after = { ...flow, revision: before.revision + 1 };
      const unchanged = { expression: '#revision = :revision', values: { revision: before.revision } };
      try {
        await table.commit([
          table.writes.put(flowEntity, after, unchanged),
          ...beside,
          ...useWrites(table, id, before, after),
        ]);
        return after;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
      }
    }
    throw changedByOthers();
  }

  return {
    find,
    change,

    async get(id: string): Promise<LoadedFlow> {
      const flow = await find(id);
      return { ...flow, steps: (await payloads.fetch(flow.steps)) as FlowStep[] };
    },

    async list(query: CursorQuery & { search?: string | undefined }) {
      const filter = query.search
        ? {
            expression: 'contains(#summary.#search, :search)',
            values: { search: query.search.toLowerCase() },
          }
        : undefined;
      return cursorPage(
        table,
        { partition: flowsPartition(table.tenant), index: 1, kind: 'flow', ...(filter && { filter }) },
        query,
      );
    },

    async create(
      owner: Pick<Flow, 'userId' | 'organizationId'>,
      given: FlowChanges & { name: string },
      beside: (id: string) => Write[] = () => [],
    ): Promise<LoadedFlow> {
      const id = newId('flow');
      const at = now().toISOString();
      const steps = given.steps ?? [];
      const flow: Flow = {
        ...owner,
        id,
        name: given.name,
        search: given.name.toLowerCase(),
        description: given.description ?? null,
        steps: await payloads.offload(`${id}/${newId('step')}`, steps),
        ...factsOf(steps),
        draft: { id: newId('flowver'), number: 1, createdAt: at },
        publishedVersionId: null,
        lastVersionNumber: 1,
        revision: 1,
        createdAt: at,
        updatedAt: at,
        lastRunAt: null,
      };
      await table.commit([
        table.writes.insert(flowEntity, flow),
        ...beside(id),
        ...useWrites(table, id, {}, flow),
      ]);
      return { ...flow, steps };
    },

    /**
     * Saves to the draft, which is made when there is none.
     * @param check Sees the flow as it is right before, and may refuse.
     */
    async update(
      id: string,
      changes: FlowChanges,
      { check, beside = [] }: { check?: (before: Flow) => void; beside?: Write[] } = {},
    ): Promise<LoadedFlow & { draft: NonNullable<Flow['draft']> }> {
      const payloadRef = changes.steps && (await payloads.offload(`${id}/${newId('step')}`, changes.steps));
      const at = now().toISOString();
      const draftId = newId('flowver');
      const flow = await change(id, async (before) => {
        check?.(before);
        const number = before.lastVersionNumber + (before.draft ? 0 : 1);
        const name = changes.name ?? before.name;
        return {
          flow: {
            ...before,
            name,
            search: name.toLowerCase(),
            ...(changes.description !== undefined && { description: changes.description }),
            ...(payloadRef && { steps: payloadRef, ...factsOf(changes.steps ?? []) }),
            draft: before.draft ?? { id: draftId, number, createdAt: at },
            lastVersionNumber: number,
            updatedAt: at,
          },
          beside,
        };
      });
      const steps = changes.steps ?? ((await payloads.fetch(flow.steps)) as FlowStep[]);
      return { ...flow, steps, draft: flow.draft ?? { id: draftId, number: 1, createdAt: at } };
    },

    async remove(id: string): Promise<void> {
      for (let attempt = 1; attempt <= attemptsMax; attempt++) {
        const flow = await find(id);
        const unchanged = { expression: '#revision = :revision', values: { revision: flow.revision } };
        try {
          return await table.commit([
            table.writes.remove(flowEntity, { id }, unchanged),
            tombstoneOf(scope, id),
            ...useWrites(table, id, flow, {}),
          ]);
        } catch (error) {
          if (!(error instanceof ConditionFailed)) throw error;
        }
      }
      throw changedByOthers();
    },

    /**
     * Notes a run, at most once a minute: a flow that runs all the time would be written all the time. A change that
     * was under way is then made anew, so neither is lost.
     */
    async markRun({ id, lastRunAt }: Pick<Flow, 'id' | 'lastRunAt'>): Promise<void> {
      if (lastRunAt && now().getTime() - Date.parse(lastRunAt) < markedEveryMs) return;
      const changes = { set: { lastRunAt: now().toISOString() }, add: { revision: 1 } };
      try {
        await table.commit([table.writes.update(flowEntity, { id }, changes, exists)]);
      } catch (error) {
        // Deleted in this moment: its runs tell that themselves.
        if (!(error instanceof ConditionFailed)) throw error;
      }
    },
  };
});

const factsOf = (steps: readonly FlowStep[]) => ({
  stepCount: steps.length,
  secretKeys: keysOfSteps(steps),
});

const changedByOthers = () =>
  conflict('The flow was changed by others at the same time; read it again and retry');
