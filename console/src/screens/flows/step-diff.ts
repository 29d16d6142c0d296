import type { JsonObject } from '../../ui/values/schema.ts';
import { asSteps, type Step } from './steps/steps.ts';

export interface StepChange {
  id: string;
  name: string;
  kind: 'added' | 'removed' | 'moved' | 'changed' | 'moved and changed';
  /** The members that differ; those of `config` by their own names. */
  members: readonly { name: string; before: unknown; after: unknown }[];
}

/** What differs between two lists of steps, in the order of the later one; removed steps last. */
export function stepChanges(sentBefore: readonly object[], sentAfter: readonly object[]): StepChange[] {
  const [before, after] = [asSteps(sentBefore), asSteps(sentAfter)];
  const old = new Map(before.map((step) => [step.id, step]));
  const kept = new Set(after.filter(({ id }) => old.has(id)).map(({ id }) => id));
  const stayed = longestRun(
    before.filter(({ id }) => kept.has(id)).map(({ id }) => id),
    after.filter(({ id }) => kept.has(id)).map(({ id }) => id),
  );
  const present = after.flatMap((step): StepChange[] => {
    const { id, name } = step;
    const earlier = old.get(id);
    if (!earlier) return [{ id, name, kind: 'added', members: changedMembers({}, step) }];
    const members = changedMembers(earlier, step);
    const isMoved = !stayed.has(id);
    if (members.length === 0 && !isMoved) return [];
    const kind = members.length === 0 ? 'moved' : isMoved ? 'moved and changed' : 'changed';
    return [{ id, name, kind, members }];
  });
  const removed = before.filter(({ id }) => !kept.has(id));
  return [
    ...present,
    ...removed.map(
      (step): StepChange => ({
        id: step.id,
        name: step.name,
        kind: 'removed',
        members: changedMembers(step, {}),
      }),
    ),
  ];
}

function changedMembers(before: Partial<Step>, after: Partial<Step>): StepChange['members'] {
  const [old, now] = [flat(before), flat(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].flatMap((name) =>
    JSON.stringify(old[name]) === JSON.stringify(now[name])
      ? []
      : [{ name, before: old[name], after: now[name] }],
  );
}

const flat = ({ id: _id, config, ...rest }: Partial<Step>): JsonObject => ({ ...rest, ...config });

/**
 * The ids that keep their order in both lists, as many as possible: all others were moved. A longest increasing
 * subsequence of places, in O(n log n).
 */
function longestRun(before: readonly string[], after: readonly string[]): Set<string> {
  const places = new Map(before.map((id, place) => [id, place]));
  /** Where the best run of each length ends. */
  const ends: { id: string; place: number }[] = [];
  const previous = new Map<string, string | undefined>();
  for (const id of after) {
    const place = places.get(id) ?? 0;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.place ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    previous.set(id, ends[low - 1]?.id);
    ends[low] = { id, place };
  }
  const run = new Set<string>();
  for (let id = ends.at(-1)?.id; id !== undefined; id = previous.get(id)) run.add(id);
  return run;
}
