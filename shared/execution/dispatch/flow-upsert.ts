import { createHash } from 'node:crypto';
import * as z from 'zod';
import { conflict, ifMissing } from '../../core/errors/errors.ts';
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
/** A digest of the steps without their ids: steps sent without ids get new ones each time. */
const contentOf = (steps: readonly FlowStep[]) =>
  digestOf(JSON.stringify(steps, (key, value) => (key === 'id' ? undefined : value)));

/** The flow that an upsert of this name writes to, and the steps that the last upsert sent. */
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

/** Creates the flow of a name or updates its steps: for callers that keep their flows in code. */
export const flowUpserter = (scope: Scope) => {
  const { table } = scope;
  const flows = flowStore(scope);
  const versions = versionStore(scope);

  const get = (id: string) => flows.get(id).catch(ifMissing(undefined));
  const noteOf = (name: string) => table.get(flowNameEntity, { name }, { consistent: true });

  /** The flow of the last upsert of the name, or else the newest one with that name. */
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

  /** Refused if the name refers to another flow since it was read. (The revision protects the steps.) */
  const note = ({ noted }: Found, name: string, flowId: string, content: string) =>
    table.writes.put(
      flowNameEntity,
      { name, flowId, content },
      noted ? { expression: '#flowId = :old', values: { old: noted.flowId } } : absent,
    );

  async function upsertOnce(
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
      // Another upsert between the two reads has changed both.
      if ((await noteOf(name))?.content !== noted?.content) throw new ConcurrentChange();
      if (!options.allowOverwriteExternalChanges) throw externalChanges(flow);
    }
    return flows.update(
      flow.id,
      { description, steps },
      {
        check: (before) => {
          if (before.revision !== flow.revision) throw new ConcurrentChange();
        },
        alsoWrite: [note(found, name, flow.id, content)],
      },
    );
  }

  /** @returns the id of the flow. */
  return async (owner: Principal, given: UpsertedFlow, options: Options): Promise<string> => {
    // Retries concurrent upserts: the last one wins.
    const conflictError = () => concurrentChanges(given.name);
    const flow = await retryOnConflict(() => upsertOnce(owner, given, options), {
      isConflict,
      conflictError,
    });
    if (flow.draft && options.createVersionOnChange) {
      // Another upsert may have published it.
      await versions.publishDraft(flow.id, flow.draft.id).catch(ifMissing(undefined));
    }
    return flow.id;
  };
};

class ConcurrentChange extends Error {}

const isConflict = (error: unknown) => error instanceof ConcurrentChange || isConditionFailed(error);

const concurrentChanges = (name: string) =>
  conflict({
    path: 'flow.name',
    code: 'CONCURRENT_CHANGES',
    message: `The flow "${name}" was changed by concurrent requests several times; try again`,
  });

const externalChanges = ({ id, name }: LoadedFlow) =>
  conflict({
    path: 'flow.steps',
    code: 'EXTERNAL_CHANGES',
    message: `The steps of the flow "${name}" (${id}) were last changed outside of upserts; set options.upsertOptions.allowOverwriteExternalChanges to overwrite them`,
  });
