import { detailAt, type ErrorDetail, hasCode } from '../../../core/errors/errors.ts';
import { schedulesMax } from '../../schedules/schedule-store.ts';
import { assertItemConfig } from '../../surfaces/item-config.ts';
import type { Surface, SurfaceItem } from '../../surfaces/surface/surface.ts';
import { assertBehavior } from '../../surfaces/surface/surface-behavior.ts';
import { channelProblem } from '../../surfaces/surface-changes.ts';
import { itemsMax, takenMember } from '../../surfaces/surface-items.ts';
import type { DocumentEntry, DocumentProblem } from './kind.ts';
import { tooManyParts } from './part-limits.ts';

/** What fits no surface of its type, or only one of its items may have. */
export function surfaceProblems(surface: DocumentEntry): DocumentProblem[] {
  const { type, status, behavior } = surface.content as Pick<Surface, 'type' | 'status' | 'behavior'>;
  const items = surface.parts.items ?? [];
  const channel = status === 'active' ? channelProblem({ type }) : undefined;
  return [
    ...(channel
      ? [placed(surface, { path: 'status', code: 'CHANNEL_NOT_CONNECTED', message: channel })]
      : []),
    ...refused(surface, () => assertBehavior(type, behavior)),
    ...items.flatMap((item, at) => surfaceItemProblems(item, items.slice(0, at), type)),
    ...tooManyParts(surface, 'items', { max: itemsMax, limit: `A surface has at most ${itemsMax} items` }),
    ...scheduleProblems(surface, type),
  ];
}

function surfaceItemProblems(
  item: DocumentEntry,
  before: readonly DocumentEntry[],
  type: Surface['type'],
): DocumentProblem[] {
  const content = item.content as Partial<SurfaceItem>;
  const taken = takenMember(
    before.map((other) => other.content as Partial<SurfaceItem>),
    content,
  );
  return [
    ...(taken ? [placed(item, taken)] : []),
    ...refused(item, () => assertItemConfig(type, content.config)),
  ];
}

function scheduleProblems(surface: DocumentEntry, type: Surface['type']): DocumentProblem[] {
  const [schedule] = surface.parts.schedules ?? [];
  if (!schedule) return [];
  if (type === 'schedule') {
    const limit = `A surface has at most ${schedulesMax} schedules`;
    return tooManyParts(surface, 'schedules', { max: schedulesMax, limit });
  }
  const message = `The surface has the type ${type}. Create schedules on a surface of the type schedule`;
  return [placed(surface, { path: 'schedules', code: 'INVALID_VALUE', message })];
}

function refused(entry: DocumentEntry, check: () => void): DocumentProblem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!hasCode(error, 'VALIDATION')) throw error;
    return error.details.map((detail) => placed(entry, detail));
  }
}

const placed = ({ path: at }: DocumentEntry, { path = '', code, message }: ErrorDetail): DocumentProblem => ({
  ...detailAt([...at, path], code, message),
  at,
  onlyIfChanging: true,
});
