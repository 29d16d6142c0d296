import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { createBoundedMap } from '../../core/cache.ts';
import { ifMissing } from '../../core/errors/errors.ts';
import type { Message } from '../../domain/conversations/message.ts';
import { flowEntity } from '../../domain/flows/flow.ts';
import type { RunLabels } from '../../domain/runs/run-origin.ts';
import { type ExposedItem, exposedItems } from '../../domain/surfaces/exposed-item.ts';
import { type RunTask, toRunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { endsWithCaller } from '../../execution/targets/ends-with-caller.ts';
import { startTarget, targetScope } from '../../execution/targets/start-target.ts';
import { toTarget, toTargetInput } from '../../execution/targets/target.ts';
import { using } from '../../platform/aws/uses.ts';
import { readAhead } from '../../platform/data/read-ahead.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Principal, toSurfaceCaller } from '../../platform/identity/principal.ts';
import { targetEvents, targetResult } from '../run-events/flow-response.ts';
import { hideReasons, type OutwardRun, outwardResponse } from './outward.ts';
import { assertInputs, assertParameters, targetGone } from './parameters.ts';

export const surfaceRunScope = using([exposedItems, targetScope], (all: Scope) => all);

export interface SurfaceCall {
  principal: Principal;
  parameters: Record<string, unknown>;
  isStreamed: boolean;
  requestId: string;
  timeLeftMs: number;
  /** How many runs are above this one. */
  depth?: number;
  labels?: RunLabels;
  /** For a flow: the conversation. */
  messages?: readonly Message[];
  task?: RunTask;
  executionId?: string;
}

/** Runs what an item exposes while it responds. @throws 400 for parameters that do not fit; 404 if it is deleted. */
export const startExposed = async (scope: Scope, item: ExposedItem, call: SurfaceCall) =>
  outwardResponse(await startExposedRun(scope, item, call), call.isStreamed);

/** A run that begins when its events or its result are read. @throws as `startExposed`. */
export async function startExposedRun(
  scope: Scope,
  { capability, surface }: ExposedItem,
  { principal, parameters, messages, depth, task, ...call }: SurfaceCall,
): Promise<OutwardRun> {
  await assertParameters(sandbox(scope), capability.parametersSchema, parameters);
  const target = toTarget(capability);
  if (target.kind === 'flow') assertInputs(parameters);
  const { kind, environment } = principal;
  const started = await startTarget(scope, {
    ...call,
    ...toTargetInput(target, parameters, messages),
    target,
    environment,
    owner: toSurfaceCaller(principal),
    caller: principal,
    surfaceType: surface.type,
    surface: toRunSurface(surface, depth, task),
    policy: endsWithCaller,
  }).catch(ifMissing(undefined));
  if (!started) throw targetGone(target);
  const run = { events: targetEvents(started), result: targetResult(started) };
  return kind === 'surface' && environment !== 'test' ? hideReasons(run) : run;
}

/** The flow that each item ran last: it is read together with the surface, because it probably runs again. */
const lastFlows = createBoundedMap<string>({ entriesMax: 5_000 });

/** @param name What callers name the item by: its slug, or the name of its tool. */
const toKey = (surfaceId: string, name: string) => `${surfaceId} ${name}`;

/** A scope that reads the flow that an item ran last together with its surface. */
export function readLastFlowAhead(scope: Scope, surfaceId: string, name: string): Scope {
  const id = lastFlows.get(toKey(surfaceId, name));
  return id === undefined ? scope : readAhead(scope, flowEntity, { id });
}

export function rememberFlow({ surface, capability }: ExposedItem, name: string): void {
  if (capability.flowId) lastFlows.set(toKey(surface.id, name), capability.flowId);
}
