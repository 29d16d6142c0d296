import { covers, type Permission } from '../auth/permissions.ts';
import type { Principal } from '../auth/principal.ts';
import { type CheckedSteps, checkTexts } from '../flows/analysis/text-problems.ts';
import type { StoredStep } from '../flows/flow.ts';
import { flowStore } from '../flows/flow-store.ts';
import { runVersions } from '../flows/run-versions.ts';
import { keysOfSteps } from '../flows/secret-keys.ts';
import { branchesOf } from '../flows/steps/branches.ts';
import { stepTypeOf } from '../flows/steps/index.ts';
import { normaliseSteps } from '../flows/steps/parse.ts';
import { type LoadedVersion, versionStore } from '../flows/version-store.ts';
import { missingPermission, notFound, unprocessable } from '../http/errors.ts';
import { derivedId } from '../ids.ts';
import { recordStore } from '../records/record-store.ts';
import type { RunRecord } from '../runs/run-variables.ts';
import type { Scope } from '../runtime.ts';
import { impatient, sandbox } from '../sandbox/sandbox.ts';
import { flowUpserter } from './flow-upsert.ts';
import type { DispatchBody } from './request.ts';

/** All that a run needs, found or made. */
export interface Prepared {
  flow: { id: string; name: string };
  version: LoadedVersion;
  record: RunRecord | undefined;
  /** Whether its step results are kept. */
  keeps: boolean;
}

/** @throws 403 where the request asks for more than running a stored flow, and the caller may not do that. */
export function checkPermissions({ permissions }: Principal, { flow, record, options }: DispatchBody): void {
  const need = (permission: Permission) => {
    if (!covers(permissions, permission)) throw missingPermission(permission);
  };
  if (options.flowMode === 'create' || options.flowMode === 'upsert') need('FLOWS:WRITE');
  if (options.autoAppendMetadata || (record && options.recordMode === 'create')) need('RECORDS:WRITE');
  if (!flow?.steps) return;
  if (record?.id || options.recordMode === 'existing') need('RECORDS:READ');
  // Whoever can make a flow that takes a secret somewhere can read it there.
  if (keysOfSteps(flow.steps).length > 0) need('FLOWS:WRITE');
  for (const { type } of everyStep(flow.steps)) {
    const { permission } = stepTypeOf(type);
    if (permission) need(permission);
  }
}

function everyStep(steps: readonly { type: string; config?: unknown }[]): { type: string }[] {
  return steps.flatMap((step) => [
    step,
    ...branchesOf(step.config).flatMap(([, branch]) => everyStep(branch as { type: string }[])),
  ]);
}

/** Finds or makes the flow, its version and the record. */
export async function prepare(scope: Scope, principal: Principal, body: DispatchBody): Promise<Prepared> {
  const sent = body.flow?.steps;
  const steps = sent && (await checkTexts(sent, ['flow', 'steps'], impatient(sandbox(scope))));
  if (steps?.length === 0) throw noSteps();
  const { flowMode, recordMode, modelOverride, storeResults } = body.options;
  const savesFlow = flowMode === 'create' || flowMode === 'upsert';
  const makesRecord = recordMode === 'create' && !body.record?.id;
  // What can refuse the request comes before what it would leave behind.
  const [found, known] = await Promise.all([
    savesFlow ? undefined : versionOf(scope, principal, body, steps),
    makesRecord ? refuseTaken(scope, body) : recordOf(scope, principal, body),
  ]);
  if (found?.version.steps.length === 0) throw noSteps();
  const { flow, version } = found ?? (await versionOf(scope, principal, body, steps));
  const record = known ?? (makesRecord ? await recordOf(scope, principal, body) : undefined);
  const others = modelOverride ? withModel(version.steps, modelOverride) : undefined;
  return {
    flow,
    version: others ? runVersions(scope).virtual({ id: flow.id, number: version.number }, others) : version,
    record,
    keeps: storeResults ?? (flow.isStored || record?.id != null),
  };
}

const noSteps = () => unprocessable('The flow has no steps to run');

/** @throws 409 where there is a record of the type and name that are to be created. */
async function refuseTaken(scope: Scope, { record: { type = '', name = '' } = {} }: DispatchBody) {
  if (type && name) await recordStore(scope).refuseTaken({ type, name });
  return undefined;
}

interface Found {
  flow: { id: string; name: string; isStored: boolean };
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
  if (!steps) throw unprocessable('Give flow.id of a stored flow, or flow.steps');
  const { flowMode } = body.options;
  if (flowMode === 'create' || flowMode === 'upsert') {
    return stored(scope, principal, await save(scope, principal, body, steps));
  }
  // The same steps are the same flow, so that a thousand runs of it are kept as one version.
  const flowId = derivedId('flow', 0, scope.table.tenant, name, JSON.stringify(steps));
  const flow = { id: flowId, name, isStored: false };
  return { flow, version: virtual(scope, { id: flowId, number: 1 }, steps) };
}

async function stored(
  scope: Scope,
  { environment }: Principal,
  id: string,
  instead?: CheckedSteps,
): Promise<Found> {
  const flows = flowStore(scope);
  const flow = await flows.find(id);
  const [version] = await Promise.all([
    instead
      ? virtual(scope, { id, number: flow.lastVersionNumber }, instead)
      : runVersions(scope).of(flow, environment),
    flows.markRun(flow),
  ]);
  return { flow: { id, name: flow.name, isStored: true }, version };
}

/** @returns the id of the flow that the steps are in now. */
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

/** Steps that were sent without ids get such as follow from them, so that the same steps are the same version. */
function virtual(scope: Scope, flow: { id: string; number: number }, sent: CheckedSteps): LoadedVersion {
  const content = JSON.stringify(sent);
  let count = 0;
  const stepId = () => derivedId('step', 0, flow.id, content, count++);
  return runVersions(scope).virtual(flow, normaliseSteps(sent, stepId as Scope['newId']));
}

async function recordOf(
  scope: Scope,
  { userId, organizationId }: Principal,
  { record, options }: DispatchBody,
): Promise<RunRecord | undefined> {
  if (!record) return undefined;
  const records = recordStore(scope);
  if (record.id) return records.get(record.id);
  const { type = 'virtual', name = '', metadata = {} } = record;
  if (options.recordMode === 'create') {
    return records.create({ userId, organizationId }, { type, name, metadata, messages: null });
  }
  if (options.recordMode !== 'existing') return { id: null, type, name, metadata };
  const id = await records.idOf({ type, name });
  if (!id) throw notFound('Record');
  return records.get(id);
}

/** The steps with another model in every prompt, those of branches too. */
function withModel(steps: readonly StoredStep[], model: string): StoredStep[] {
  return steps.map((step) => ({
    ...step,
    config: {
      ...step.config,
      ...(step.type === 'prompt' && { model }),
      ...Object.fromEntries(
        branchesOf(step.config).map(([name, branch]) => [name, withModel(branch as StoredStep[], model)]),
      ),
    },
  }));
}
