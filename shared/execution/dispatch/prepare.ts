/**
 * Prepares a dispatch: its flow and version, its record, and whether results are kept. Saves a flow or record if the
 * request says so.
 * Everything that can reject the request is checked before anything is written: steps, targets, an existing record or
 * name, budgets.
 * `flowUpserter` serves callers that keep their flows in code: it finds the flow by the name of the last upsert, writes
 * only when the steps changed, and refuses to overwrite changes that somebody made elsewhere.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { limitQueueTime, sandbox } from '../../adapters/sandbox/sandbox.ts';
import { conflict, ifMissing, notFound, unprocessable } from '../../core/errors/errors.ts';
import { deriveId } from '../../core/ids.ts';
import { assertStepTargets } from '../../domain/agents/checks/step-targets.ts';
import { type CheckedSteps, checkTexts, normaliseSteps } from '../../domain/flows/checking/flow-steps.ts';
import { type Flow, flowsPartition } from '../../domain/flows/flow.ts';
import { flowStore, type LoadedFlow } from '../../domain/flows/flow-store.ts';
import { mapSteps } from '../../domain/flows/steps/held-lists.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { type LoadedVersion, versionStore } from '../../domain/flows/version-store.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { originOfCall } from '../../domain/runs/run-origin.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isConditionFailed, retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { startBudgetCheck } from '../model-calls/budget-accounts.ts';
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
  if (steps?.length === 0) throw createNoStepsError();
  if (steps) await assertStepTargets(scope)(steps, ['flow', 'steps'], body.flow?.id);
  const { flowMode, modelOverride, storeResults } = body.options;
  const savesFlow = flowMode === 'create' || flowMode === 'upsert';
  // Checks everything that can reject the request before it writes anything.
  const [found, givenRecord] = await Promise.all([
    savesFlow ? undefined : findVersion(scope, principal, body, steps),
    resolveRecord(scope, principal, body),
  ]);
  if (found?.version.steps.length === 0) throw createNoStepsError();
  const { flow, version: chosen } = found ?? (await findVersion(scope, principal, body, steps));
  const versions = runVersions(scope);
  const others = modelOverride ? replaceModel(chosen.steps, modelOverride) : undefined;
  const version = await versions.link(
    others ? versions.createVirtual({ id: flow.id, number: chosen.number }, others) : chosen,
  );
  await startBudgetCheck(scope).flow(flow.id, version.steps, { origin: originOfCall(principal) });
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

const createNothingToRunError = (message: string) => unprocessable({ code: 'NOTHING_TO_RUN', message });
export const createNoStepsError = () => createNothingToRunError('The flow has no steps to run');

interface Found {
  /** `stored` unless the flow exists for this run only. */
  flow: { id: string; name: string; stored?: Flow };
  version: LoadedVersion;
}

async function findVersion(
  scope: Scope,
  principal: Principal,
  body: DispatchBody,
  steps: CheckedSteps | undefined,
): Promise<Found> {
  const { id, name = 'Inline flow' } = body.flow ?? {};
  if (id) return findStored(scope, principal, id, steps);
  if (!steps) throw createNothingToRunError('Give flow.id of a stored flow, or flow.steps');
  const { flowMode } = body.options;
  if (flowMode === 'create' || flowMode === 'upsert') {
    return findStored(scope, principal, await save(scope, principal, body, steps));
  }
  // The id follows from the steps, so that a thousand runs of the same steps share one version.
  const flowId = deriveId('flow', 0, scope.table.tenant, name, JSON.stringify(steps));
  return {
    flow: { id: flowId, name },
    version: createVirtualVersion(scope, { id: flowId, number: 1 }, steps),
  };
}

async function findStored(
  scope: Scope,
  { environment }: Principal,
  id: string,
  instead?: CheckedSteps,
): Promise<Found> {
  const flow = await flowStore(scope).find(id);
  const version = instead
    ? createVirtualVersion(scope, { id, number: flow.lastVersionNumber }, instead)
    : await runVersions(scope).resolve(flow, environment);
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
  const fields = { name, description, steps: normaliseSteps(steps, scope.newId) };
  if (options.flowMode === 'upsert') return flowUpserter(scope)(principal, fields, options.upsertOptions);
  const { userId, organizationId } = principal;
  const { id } = await flowStore(scope).create({ userId, organizationId }, fields);
  await versionStore(scope).publishDraft(id);
  return id;
}

/** Steps sent without ids get ids derived from their content, so that the same steps are the same version. */
function createVirtualVersion(
  scope: Scope,
  flow: { id: string; number: number },
  sent: CheckedSteps,
): LoadedVersion {
  const content = JSON.stringify(sent);
  let count = 0;
  const stepId = () => deriveId('step', 0, flow.id, content, count++);
  return runVersions(scope).createVirtual(flow, normaliseSteps(sent, stepId as Scope['newId']));
}

/**
 * Finds the record, or returns a function that creates it. Rejects the request before anything is written. @throws 404
 * if it must exist, 409 if it must not.
 */
async function resolveRecord(
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

const replaceModel = (steps: readonly FlowStep[], model: string): FlowStep[] =>
  mapSteps(steps, (step) => (step.type === 'prompt' ? { ...step, config: { ...step.config, model } } : step));

const digest = (value: string) => createHash('sha256').update(value).digest('hex');
/** A digest of the steps without their ids: steps sent without ids get new ones each time. */
const digestSteps = (steps: readonly FlowStep[]) =>
  digest(JSON.stringify(steps, (key, value) => (key === 'id' ? undefined : value)));

/** The flow that an upsert of this name writes to, and the steps that the last upsert sent. */
export const flowNameEntity = defineEntity({
  type: 'flowName',
  schema: z.object({ name: z.string(), flowId: z.string(), content: z.string() }),
  key: ({ name }: { name: string }) => ({
    PK: tenantPartition(`FLOWNAME#${digest(name)}`),
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
  const readName = (name: string) => table.get(flowNameEntity, { name }, { consistent: true });

  /** The flow of the last upsert of the name, or else the newest one with that name. */
  async function find(name: string) {
    const stored = await readName(name);
    const flow = stored && (await get(stored.flowId));
    if (flow?.name === name) return { noted: stored, flow };
    const [other] = await table.queryAll({
      partition: flowsPartition,
      index: 1,
      newestFirst: true,
      filter: { expression: '#summary.#name = :name', values: { name } },
    });
    return { noted: stored, flow: other && (await get(other.SK1 as string)) };
  }
  type Found = Awaited<ReturnType<typeof find>>;

  /** Refused if the name refers to another flow since it was read. (The revision protects the steps.) */
  const toNameWrite = ({ noted: stored }: Found, name: string, flowId: string, content: string) =>
    table.writes.put(
      flowNameEntity,
      { name, flowId, content },
      stored ? { expression: '#flowId = :old', values: { old: stored.flowId } } : absent,
    );

  async function upsertOnce(
    { userId, organizationId }: Principal,
    upserted: UpsertedFlow,
    options: Options,
  ): Promise<LoadedFlow> {
    const { name, steps, description } = upserted;
    const content = digestSteps(steps);
    const found = await find(name);
    const { flow, noted: stored } = found;
    if (!flow) {
      const owner = { userId, organizationId };
      return flows.create(owner, upserted, (id) => [toNameWrite(found, name, id, content)]);
    }
    const current = digestSteps(flow.steps);
    if (current === content) return flow;
    const isOurs = stored?.flowId === flow.id && stored.content === current;
    if (!isOurs) {
      // Another upsert between the two reads has changed both.
      if ((await readName(name))?.content !== stored?.content) throw new ConcurrentChange();
      if (!options.allowOverwriteExternalChanges) throw createExternalChangesError(flow);
    }
    return flows.update(
      flow.id,
      { description, steps },
      {
        check: (before) => {
          if (before.revision !== flow.revision) throw new ConcurrentChange();
        },
        alsoWrite: [toNameWrite(found, name, flow.id, content)],
      },
    );
  }

  /** @returns the id of the flow. */
  return async (owner: Principal, upserted: UpsertedFlow, options: Options): Promise<string> => {
    // Retries concurrent upserts: the last one wins.
    const conflictError = () => createConcurrentChangesError(upserted.name);
    const flow = await retryOnConflict(() => upsertOnce(owner, upserted, options), {
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

const createConcurrentChangesError = (name: string) =>
  conflict({
    path: 'flow.name',
    code: 'CONCURRENT_CHANGES',
    message: `The flow "${name}" was changed by concurrent requests several times; try again`,
  });

const createExternalChangesError = ({ id, name }: LoadedFlow) =>
  conflict({
    path: 'flow.steps',
    code: 'EXTERNAL_CHANGES',
    message: `The steps of the flow "${name}" (${id}) were last changed outside of upserts; set options.upsertOptions.allowOverwriteExternalChanges to overwrite them`,
  });
