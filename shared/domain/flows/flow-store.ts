/**
 * Flows with their steps: reads, lists, creates, changes and removes them.
 *
 * Steps are offloaded under a new name before the write that names them, so a reader gets either the old or the new ones. A
 * change is decided on the current flow and written if nobody else changed it, with the secrets that it uses in the same
 * transaction; it also makes or updates the draft. Removing writes a tombstone, and the clean-up removes versions and results.
 * Checks of steps come first (`checking/`), versions are in `version-store.ts`.
 */

import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { nameSearch } from '../../platform/data/lists/name-search.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import { markUsed } from '../../platform/data/mark-used.ts';
import type { Modification } from '../../platform/data/modify.ts';
import { payloadReader, payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { createFirstDraft, saveDraft } from '../../platform/data/versions/version-kind.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type Flow, flowEntity, flowsPartition } from './flow.ts';
import { createSecretUseWrites, secretKeysOfSteps } from './secret-keys.ts';
import type { FlowStep } from './steps/step.ts';

export type LoadedFlow = Omit<Flow, 'steps'> & { steps: FlowStep[] };

export interface FlowChanges {
  name?: string | undefined;
  description?: string | null | undefined;
  steps?: FlowStep[] | undefined;
}

export const flowFinder = /* @__PURE__ */ using(['table:read', payloadReader], (scope: Scope) => {
  const { table } = scope;
  const find = (id: string): Promise<Flow> => table.find(flowEntity, { id });

  return {
    find,

    async get(id: string): Promise<LoadedFlow> {
      const flow = await find(id);
      return { ...flow, steps: (await payloadReader(scope).fetch(flow.steps)) as FlowStep[] };
    },

    async list(query: CursorQuery & { search?: string | undefined }) {
      return cursorPage(
        table,
        { partition: flowsPartition, index: 1, kind: 'flow', ...nameSearch(query.search) },
        query,
      );
    },
  };
});

/** Applies a change to the current flow atomically. Retries on concurrent writes, then throws 409. */
export const flowChanger = /* @__PURE__ */ using(
  ['table:write', 'table:delete'],
  ({ table }: Scope) =>
    async (
      id: string,
      decide: (before: Flow) => Promise<{ after: Flow; alsoWrite?: Write[] }>,
    ): Promise<Flow> => {
      const decideWrite = async (before: Flow): Promise<Modification<typeof flowEntity>> => {
        const { after, alsoWrite = [] } = await decide(before);
        return { put: after, alsoWrite: [...alsoWrite, ...createSecretUseWrites(table, id, before, after)] };
      };
      return table.change(flowEntity, { id }, decideWrite);
    },
);

const parts = [flowFinder, flowChanger, payloadStore] as const;

export const flowStore = /* @__PURE__ */ using(parts, (scope: Scope) => {
  const { table, now, newId } = scope;
  const payloads = payloadStore(scope);
  const change = flowChanger(scope);

  return {
    ...flowFinder(scope),

    async create(
      owner: Pick<Flow, 'userId' | 'organizationId'>,
      input: FlowChanges & { name: string },
      alsoWrite: (id: string) => Write[] = () => [],
    ): Promise<LoadedFlow> {
      const id = newId('flow');
      const at = getIdCreatedAt(id);
      const steps = input.steps ?? [];
      const flow: Flow = {
        ...owner,
        id,
        name: input.name,
        search: input.name.toLowerCase(),
        description: input.description ?? null,
        steps: await payloads.offload(`${id}/${newId('step')}`, steps),
        ...summarizeSteps(steps),
        ...createFirstDraft({ id: newId('flowver'), createdAt: at }),
        createdAt: at,
        updatedAt: at,
        lastRunAt: null,
      };
      await table.commit([
        table.writes.insert(flowEntity, flow),
        ...alsoWrite(id),
        ...createSecretUseWrites(table, id, {}, flow),
      ]);
      return { ...flow, steps };
    },

    /** Saves to the draft. Creates it if there is none. @param check Receives the current flow and may throw. */
    async update(
      id: string,
      changes: FlowChanges,
      { check, alsoWrite = [] }: { check?: (before: Flow) => void; alsoWrite?: Write[] } = {},
    ): Promise<LoadedFlow & { draft: NonNullable<Flow['draft']> }> {
      const payloadRef = changes.steps && (await payloads.offload(`${id}/${newId('step')}`, changes.steps));
      const at = now().toISOString();
      const draft = { id: newId('flowver'), createdAt: at };
      const flow = await change(id, async (before) => {
        check?.(before);
        const name = changes.name ?? before.name;
        return {
          after: {
            ...before,
            name,
            search: name.toLowerCase(),
            ...(changes.description !== undefined && { description: changes.description }),
            ...(payloadRef && { steps: payloadRef, ...summarizeSteps(changes.steps ?? []) }),
            ...saveDraft(before, draft),
            updatedAt: at,
          },
          alsoWrite,
        };
      });
      const steps = changes.steps ?? ((await payloads.fetch(flow.steps)) as FlowStep[]);
      return { ...flow, steps, draft: flow.draft ?? { ...draft, number: 1 } };
    },

    async remove(id: string): Promise<void> {
      const decideRemoval = (flow: Flow): Modification<typeof flowEntity> => ({
        remove: true,
        alsoWrite: [tombstoneWrite(scope, id), ...createSecretUseWrites(table, id, flow, {})],
      });
      await table.change(flowEntity, { id }, decideRemoval);
    },

    markRun: (flow: Pick<Flow, 'id' | 'lastRunAt'>) => markUsed(scope, flowEntity, flow, 'lastRunAt'),
  };
});

const summarizeSteps = (steps: readonly FlowStep[]) => ({
  stepCount: steps.length,
  secretKeys: secretKeysOfSteps(steps),
});
