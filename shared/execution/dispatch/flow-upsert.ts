import { createHash } from 'node:crypto';
import * as z from 'zod';
import { conflict, ifMissing } from '../../core/errors.ts';
import { flowsPartition } from '../../domain/flows/flow.ts';
import { flowStore, type LoadedFlow } from '../../domain/flows/flow-store.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { versionStore } from '../../domain/flows/version-store.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isConditionFailed, retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { DispatchBody } from './request.ts';

const digestOf = (value: string) => createHash('sha256').update(value).digest('hex');
/** Steps without their ids, which are made anew for those that came without. */
const contentOf = (steps: readonly FlowStep[]) =>
  digestOf(JSON.stringify(steps, (key, value) => (key === 'id' ? undefined : value)));

/** Which flow an upsert of a name means, and the steps that the last one left. */
export const flowNameEntity = defineEntity({
  type: 'flowName',
  schema: z.object({ name: z.string(), flowId: z.string(), content: z.string() }),
  key: ({ name }: { name: string }) => ({
    PK: tenantPartition(`FLOWNAME#${digestOf(name)}`),
    SK: 'NAME',
  }),
});

export interface UpsertedFlow {
  name: string;
  description?: string | null | undefined;
  steps: FlowStep[];
}
type Options = DispatchBody['options']['upsertOptions'];

/** Brings the flow of a name to these steps, or makes it: for callers who hold their flows in code. */
export const flowUpserter = (scope: Scope) => {
  const { table } = scope;
  const flows = flowStore(scope);
  const versions = versionStore(scope);

  const get = (id: string) => flows.get(id).catch(ifMissing(undefined));
  const noteOf = (name: string) => table.get(flowNameEntity, { name }, { consistent: true });

  /** The flow that the last upsert of the name meant, or else the newest one that is called so. */
  async function find(name: string) {
    const noted = await noteOf(name);
    const flow = noted && (await get(noted.flowId));
    if (flow?.name === name) return { noted, flow };
    const [other] = await table.queryAll({
      partition: flowsPartition,
      index: 1,
      newestFirst: true,
      filter: { expression: '#summary.#name = :name', values: { name } },
    });
    return { noted, flow: other && (await get(other.SK1 as string)) };
  }
  type Found = Awaited<ReturnType<typeof find>>;

  /** Notes what the name means now, if it still means what was found. (What the flow's steps are, its revision tells.) */
  const note = ({ noted }: Found, name: string, flowId: string, content: string) =>
    table.writes.put(
      flowNameEntity,
      { name, flowId, content },
      noted ? { expression: '#flowId = :old', values: { old: noted.flowId } } : absent,
    );

  async function attempt(
    { userId, organizationId }: Principal,
    given: UpsertedFlow,
    options: Options,
  ): Promise<LoadedFlow> {
    const { name, steps, description } = given;
    const content = contentOf(steps);
    const found = await find(name);
    const { flow, noted } = found;
    if (!flow) {
      const owner = { userId, organizationId };
      return flows.create(owner, given, (id) => [note(found, name, id, content)]);
    }
    const current = contentOf(flow.steps);
    if (current === content) return flow;
    const isOurs = noted?.flowId === flow.id && noted.content === current;
    if (!isOurs) {
      // Another upsert may have come between the two reads: then both have changed since.
      if ((await noteOf(name))?.content !== noted?.content) throw new Overtaken();
      if (!options.allowOverwriteExternalChanges) throw externalChanges(flow);
    }
    return flows.update(
      flow.id,
      { description, steps },
      {
        check: (before) => {
          if (before.revision !== flow.revision) throw new Overtaken();
        },
        alsoWrite: [note(found, name, flow.id, content)],
      },
    );
  }

  /** @returns the id of the flow. */
  return async (owner: Principal, given: UpsertedFlow, options: Options): Promise<string> => {
    // Of upserts that meet, each is tried again on what the others left: the last one wins.
    const conflictError = () => concurrentChanges(given.name);
    const flow = await retryOnConflict(() => attempt(owner, given, options), {
      ...{ attempts, isConflict, conflictError },
    });
    if (flow.draft && options.createVersionOnChange) {
      // Another upsert may have published it.
      await versions.publishDraft(flow.id, flow.draft.id).catch(ifMissing(undefined));
    }
    return flow.id;
  };
};

/** Another writer changed the flow between its reading and its writing. */
class Overtaken extends Error {}

const attempts = 20;
const isConflict = (error: unknown) => error instanceof Overtaken || isConditionFailed(error);

const concurrentChanges = (name: string) =>
  conflict({
    path: 'flow.name',
    code: 'CONCURRENT_CHANGES',
    message: `The flow "${name}" kept being changed by others; try again`,
  });

const externalChanges = ({ id, name }: LoadedFlow) =>
  conflict({
    path: 'flow.steps',
    code: 'EXTERNAL_CHANGES',
    message: `The flow "${name}" (${id}) has steps that no upsert sent; set options.upsertOptions.allowOverwriteExternalChanges to write over them`,
  });
