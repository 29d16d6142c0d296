import { createHash } from 'node:crypto';
import * as z from 'zod';
import { limitQueueTime, sandbox } from '../../adapters/sandbox/sandbox.ts';
import { conflict, ifMissing, notFound, unprocessable } from '../../core/errors/errors.ts';
import { derivedId } from '../../core/ids.ts';
import { assertStepTargets } from '../../domain/agents/checks/step-targets.ts';
import { normaliseSteps } from '../../domain/flows/checking/flow-steps.ts';
import { type CheckedSteps, checkTexts } from '../../domain/flows/checking/text-problems.ts';
import { type Flow, flowsPartition } from '../../domain/flows/flow.ts';
import { flowStore, type LoadedFlow } from '../../domain/flows/flow-store.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { mapSteps } from '../../domain/flows/steps/walk-steps.ts';
import { type LoadedVersion, versionStore } from '../../domain/flows/version-store.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { originOfCall } from '../../domain/runs/run-origin.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isConditionFailed, retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { startGate } from '../model-calls/payers.ts';
import type { RunRecord } from '../runs/run-variables.ts';
import { type RunVersion, runVersions } from '../runs/run-versions.ts';
import type { DispatchBody } from './request.ts';

export interface PreparedRun {
  flow: { id: string; name: string };
  version: RunVersion;
  record: RunRecord | undefined;
  persistResults: boolean;
}

export async function prepare(scope: Scope, principal: Principal, body: DispatchBody): Promise<PreparedRun> {
  const sent = body.flow?.steps;
  const steps = sent && (await checkTexts(sent, ['flow', 'steps'], limitQueueTime(sandbox(scope))));
  if (steps?.length === 0) throw noSteps();
  if (steps) await assertStepTargets(scope)(steps, ['flow', 'steps'], body.flow?.id);
  const { flowMode, modelOverride, storeResults } = body.options;
  const savesFlow = flowMode === 'create' || flowMode === 'upsert';
  // Checks everything that can reject the request before it writes anything.
  const [found, givenRecord] = await Promise.all([
    savesFlow ? undefined : versionOf(scope, principal, body, steps),
    givenRecordOf(scope, principal, body),
  ]);
  if (found?.version.steps.length === 0) throw noSteps();
  const { flow, version: chosen } = found ?? (await versionOf(scope, principal, body, steps));
  const versions = runVersions(scope);
  const others = modelOverride ? withModel(chosen.steps, modelOverride) : undefined;
  const version = await versions.link(
    others ? versions.virtual({ id: flow.id, number: chosen.number }, others) : chosen,
  );
  await startGate(scope).flow(flow.id, version.steps, { origin: originOfCall(principal) });
  const [record] = await Promise.all([
    typeof givenRecord === 'function' ? givenRecord() : givenRecord,
    flow.stored && flowStore(scope).markRun(flow.stored),
  ]);
  return {
    flow: { id: flow.id, name: flow.name },
    version,
    record,
    persistResults: storeResults ?? (flow.stored !== undefined || record?.id != null),
  };
}

const nothingToRun = (message: string) => unprocessable({ code: 'NOTHING_TO_RUN', message });
export const noSteps = () => nothingToRun('The flow has no steps to run');

interface Found {
  /** `stored` unless the flow exists for this run only. */
  flow: { id: string; name: string; stored?: Flow };
  version: LoadedVersion;
}

async function versionOf(
  scope: Scope,
  principal: Principal,
  body: DispatchBody,
  steps: CheckedSteps | undefined,
): Promise<Found> {
  const { id, name = 'Inline flow' } = body.flow ?? {};
  if (id) return stored(scope, principal, id, steps);
  if (!steps) throw nothingToRun('Give flow.id of a stored flow, or flow.steps');
  const { flowMode } = body.options;
  if (flowMode === 'create' || flowMode === 'upsert') {
    return stored(scope, principal, await save(scope, principal, body, steps));
  }
  // The id follows from the steps, so that a thousand runs of the same steps share one version.
  const flowId = derivedId('flow', 0, scope.table.tenant, name, JSON.stringify(steps));
  return { flow: { id: flowId, name }, version: virtual(scope, { id: flowId, number: 1 }, steps) };
}

async function stored(
  scope: Scope,
  { environment }: Principal,
  id: string,
  instead?: CheckedSteps,
): Promise<Found> {
  const flow = await flowStore(scope).find(id);
  const version = instead
    ? virtual(scope, { id, number: flow.lastVersionNumber }, instead)
    : await runVersions(scope).of(flow, environment);
  return { flow: { id, name: flow.name, stored: flow }, version };
}

/** @returns the id of the flow that has the steps now. */
async function save(
  scope: Scope,
  principal: Principal,
  { flow, options }: DispatchBody,
  steps: CheckedSteps,
): Promise<string> {
  const { name = '', description } = flow ?? {};
  const given = { name, description, steps: normaliseSteps(steps, scope.newId) };
  if (options.flowMode === 'upsert') return flowUpserter(scope)(principal, given, options.upsertOptions);
  const { userId, organizationId } = principal;
  const { id } = await flowStore(scope).create({ userId, organizationId }, given);
  await versionStore(scope).publishDraft(id);
  return id;
}

/** Steps sent without ids get ids derived from their content, so that the same steps are the same version. */
function virtual(scope: Scope, flow: { id: string; number: number }, sent: CheckedSteps): LoadedVersion {
  const content = JSON.stringify(sent);
  let count = 0;
  const stepId = () => derivedId('step', 0, flow.id, content, count++);
  return runVersions(scope).virtual(flow, normaliseSteps(sent, stepId as Scope['newId']));
}

/**
 * Finds the record, or returns a function that creates it. Rejects the request before anything is written. @throws 404
 * if it must exist, 409 if it must not.
 */
async function givenRecordOf(
  scope: Scope,
  { userId, organizationId }: Principal,
  { record, options: { recordMode } }: DispatchBody,
): Promise<RunRecord | (() => Promise<RunRecord>) | undefined> {
  if (!record) return undefined;
  const records = recordStore(scope);
  if (record.id) return records.get(record.id);
  const { type = 'virtual', name = '', metadata = {} } = record;
  if (recordMode === 'create') {
    await records.assertNameFree({ type, name });
    return () => records.create({ userId, organizationId }, { type, name, metadata, messages: null });
  }
  if (recordMode !== 'existing') return { id: null, type, name, metadata };
  const id = await records.findId({ type, name });
  if (!id) throw notFound('Record');
  return records.get(id);
}

const withModel = (steps: readonly FlowStep[], model: string): FlowStep[] =>
  mapSteps(steps, (step) => (step.type === 'prompt' ? { ...step, config: { ...step.config, model } } : step));

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
