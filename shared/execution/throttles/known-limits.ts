import type { CallLimits } from '../../adapters/models/call-limits.ts';
import type { ResolvedModel } from '../../adapters/models/resolved-model.ts';
import { boundedMap } from '../../core/concurrency/cache.ts';
import { modelConfigEntity, providerKeyEntity } from '../../domain/model-configs/model-account.ts';
import { isLimited, keyPauseEntity } from '../../domain/throttles/limits.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** A model config or a provider key with limits. */
interface Limited {
  id: string;
  limits: CallLimits;
}

export interface KnownLimits {
  limited: readonly Limited[];
  /** Unix ms; 0 if the key is not paused. */
  pausedUntil: number;
}

/** What this process knows of a tenant's configs and keys, by their ids. */
const limitsById = boundedMap<{ limits: CallLimits }>({ entriesMax: 10_000 });
const pausesById = boundedMap<number>({ entriesMax: 10_000 });
const reading = boundedMap<{ at: number; done: Promise<void> }>({ entriesMax: 10_000 });

/** A change of limits, and a pause that another process has seen, hold after that. */
const readAfterMs = 1_000;

const nameIn = ({ table }: Pick<Scope, 'table'>, id: string) => `${table.tenant} ${id}`;

/** Keys of the deployment are paused for each tenant by itself. */
export const pauseId = ({ providerKeyId, provider }: ResolvedModel) => providerKeyId ?? provider;

/**
 * The limits and the pause that hold for a call. Where there are limits they are read again every second; without any, what
 * the run has read suffices.
 */
export async function knownLimits(
  scope: Pick<Scope, 'table'>,
  model: ResolvedModel,
  now: () => number,
): Promise<KnownLimits> {
  const { configId, providerKeyId, limits = {} } = model;
  const asRead = [
    { id: configId, limits: limits.config },
    { id: providerKeyId, limits: limits.key },
  ].flatMap(({ id, limits }) => (id === undefined ? [] : [{ id, limits: limits ?? {} }]));
  const latest = () =>
    asRead.map(({ id, limits }) => ({ id, ...(limitsById.get(nameIn(scope, id)) ?? { limits }) }));
  if ([...asRead, ...latest()].some(({ limits }) => isLimited(limits))) await readAgain(scope, model, now());
  return {
    limited: latest().filter(({ limits }) => isLimited(limits)),
    pausedUntil: Math.max(
      model.pausedUntil?.getTime() ?? 0,
      pausesById.get(nameIn(scope, pauseId(model))) ?? 0,
    ),
  };
}

/** @returns whether that is later than what is known */
export function notePause(scope: Pick<Scope, 'table'>, id: string, until: number): boolean {
  const known = pausesById.get(nameIn(scope, id)) ?? 0;
  pausesById.set(nameIn(scope, id), Math.max(known, until));
  return until > known;
}

/** Calls at the same time share a request. */
function readAgain(scope: Pick<Scope, 'table'>, model: ResolvedModel, at: number): Promise<void> {
  const name = nameIn(scope, `${model.configId} ${pauseId(model)}`);
  const known = reading.get(name);
  if (known && Math.abs(at - known.at) < readAfterMs) return known.done;
  const done = readLimits(scope, model).catch((error) => {
    reading.delete(name);
    throw error;
  });
  reading.set(name, { at, done });
  return done;
}

async function readLimits(scope: Pick<Scope, 'table'>, model: ResolvedModel): Promise<void> {
  const { configId, providerKeyId } = model;
  const owners = [
    ...(configId === undefined ? [] : [{ id: configId, entity: modelConfigEntity }]),
    ...(providerKeyId === undefined ? [] : [{ id: providerKeyId, entity: providerKeyEntity }]),
  ];
  const [pause, ...found] = await scope.table.getMany([
    keyPauseEntity.key({ id: pauseId(model) }),
    ...owners.map(({ id, entity }) => entity.key({ id })),
  ]);
  for (const [index, { id, entity }] of owners.entries()) {
    const item = found[index];
    limitsById.set(nameIn(scope, id), { limits: (item && decode(entity, item).limits) ?? {} });
  }
  if (pause) notePause(scope, pauseId(model), Date.parse(decode(keyPauseEntity, pause).until));
}
