import type { ServedAgent } from '../../adapters/a2a-server/served-agent.ts';
import { depthHeader, getCallDepth } from '../../core/agent-depth.ts';
import { notFound } from '../../core/errors/errors.ts';
import { pushConfigStore } from '../../domain/a2a-tasks/push-config-store.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import {
  assertOpen,
  type ExposedSurface,
  exposedItems,
  runnableItems,
} from '../../domain/surfaces/exposed-item.ts';
import { batchStore } from '../../execution/batches/batch-store.ts';
import { batchStarter } from '../../execution/batches/start-batch.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { runScope } from '../run-events/flow-response.ts';
import { surfaceRunScope } from '../surface/start-exposed.ts';
import { toServedCard } from './served-card.ts';
import { serveSurface } from './served-surface.ts';
import { taskProgress } from './task-progress.ts';

/** All uses, because the flow or the agent decides which services a run calls. */
export const a2aScope = /* @__PURE__ */ using(
  [
    surfaceRunScope,
    runScope,
    a2aTaskStore,
    taskProgress,
    pushConfigStore,
    batchStarter,
    batchStore,
    'credentials' as const,
  ],
  (all: Scope) => all,
);

/** Reserved to hand a run over, and to tell the caller. */
const reserveMs = 8_000;

export interface A2aSurfaceRequest {
  params: { id: string; surfaceId: string };
  principal: Principal;
  header: (name: string) => string | undefined;
  timeLeftMs: () => number;
  requestId: string;
  baseUrl: () => string;
}

const surfacesAhead = new WeakMap<Scope, Promise<ExposedSurface>>();

/** Reads the surface while the request still waits for its place. */
export function readSurfaceAhead(scope: Scope, { params }: Pick<A2aSurfaceRequest, 'params'>): void {
  const reading = exposedItems(scope).findSurface(params.id, params.surfaceId);
  reading.catch(() => {});
  surfacesAhead.set(scope, reading);
}

/** `gone`: to be aborted when the caller is. @throws 403, 404; 422 if agents call each other too deeply. */
export async function openSurface(
  scope: Scope,
  { params, principal, header, timeLeftMs, requestId, baseUrl }: A2aSurfaceRequest,
): Promise<{ agent: ServedAgent; gone: AbortController }> {
  const ahead = surfacesAhead.get(scope);
  const whole = await (ahead ?? exposedItems(scope).findSurface(params.id, params.surfaceId));
  if (whole.surface.type !== 'a2a') throw notFound('A2A agent');
  assertOpen(whole.surface, principal);
  const gone = new AbortController();
  const left = timeLeftMs();
  const call = {
    principal,
    requestId,
    timeLeftMs: left,
    depth: getCallDepth(header(depthHeader)),
    owner: { surfaceId: whole.surface.id, caller: toCaller(principal) },
    items: runnableItems(whole.exposed, principal),
    signal: AbortSignal.any([gone.signal, AbortSignal.timeout(Math.max(1, left - reserveMs))]),
  };
  return { agent: serveSurface(scope, call, toServedCard(whole, baseUrl())), gone };
}

/** Users share their tasks between their keys and sessions. */
const toCaller = ({ kind, keyId, userId }: Principal) => (kind === 'surface' && keyId ? keyId : userId);
