import type { ErrorDetail } from '../../../core/errors/errors.ts';
import { scheduleDefaults } from '../../schedules/schedule-defaults.ts';
import { assertConsistent, type Edited, isRetimed } from '../../schedules/trigger.ts';
import type { PlannedChange } from '../plan.ts';
import { isWritten } from '../written-nodes.ts';
import { refusalProblems } from './refused.ts';

/** Why schedules cannot be saved: their time is over, or their members do not fit each other. */
export async function scheduleProblems(changes: readonly PlannedChange[], now: Date): Promise<ErrorDetail[]> {
  const nodes = changes
    .flatMap(({ node }) => node.parts.surfaces ?? [])
    .flatMap(({ parts }) => parts.schedules ?? [])
    .filter(isWritten);
  const found = nodes.map((node) => {
    const after = { ...scheduleDefaults, ...node.after?.content } as Edited;
    const before = node.before && ({ ...scheduleDefaults, ...node.before.content } as Edited);
    const mustComeYet = before === undefined || (after.enabled && isRetimed(before, after));
    return refusalProblems(node, () => assertConsistent(after, mustComeYet ? now : undefined));
  });
  return (await Promise.all(found)).flat();
}
