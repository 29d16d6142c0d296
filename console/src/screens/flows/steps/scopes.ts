import { type HeldListKey, listsIn } from './lists.ts';
import { eachStep } from './places.ts';
import { type Step, stepVariable } from './steps.ts';

/** A name that steps can read, and the step that sets it. */
interface NameSet {
  name: string;
  setter: Step;
}

const textOf = (value: unknown, otherwise?: string) =>
  typeof value === 'string' && value !== '' ? value : otherwise;

/** What the steps inside of a step find beside what was set before it. */
function namesInside({ type, config }: Pick<Step, 'type' | 'config'>): string[] {
  if (type === 'loop') return ['_loop'];
  if (type === 'reduce') return ['items', 'chunkIndex', 'previous'];
  if (type !== 'map') return [];
  return [textOf(config?.as, 'item'), textOf(config?.indexAs)].filter((name) => name !== undefined);
}

/** What is set in an item of a map, or in a branch of a parallel step, is seen there alone. */
const keepsNames = ({ type }: Step) => ['map', 'parallel', 'reduce'].includes(type);

/** What is set in a step for those inside of it, and for its own expressions about them. */
export const namesSeenInside = (step: Step): ReadonlySet<string> =>
  new Set([
    ...namesInside(step),
    ...listsIn(step).flatMap(({ steps }) => steps.flatMap(setBy).map(({ name }) => name)),
  ]);

/** What a step sets for those after it, in the order in which it is set; the last one counts. */
function setBy(step: Step): NameSet[] {
  const inside = keepsNames(step) ? [] : listsIn(step).flatMap(({ steps }) => steps.flatMap(setBy));
  return [...inside, ...ownNames(step).map((name) => ({ name, setter: step }))];
}

function ownNames(step: Step): string[] {
  const name = stepVariable(step);
  if (name === undefined) return [];
  return keepsNames(step) && step.config?.onError === 'continue' ? [name, `${name}Errors`] : [name];
}

/** What is set before a place, as steps there see it. */
function setBefore(steps: readonly Step[], isHere: (list: readonly Step[], at: number) => boolean) {
  const walk = (list: readonly Step[]): NameSet[] | undefined => {
    const before: NameSet[] = [];
    for (let at = 0; at <= list.length; at++) {
      if (isHere(list, at)) return before;
      const step = list[at];
      if (!step) return undefined;
      for (const inner of listsIn(step)) {
        const within = walk(inner.steps);
        if (within)
          return [...before, ...namesInside(step).map((name) => ({ name, setter: step })), ...within];
      }
      before.push(...setBy(step));
    }
    return undefined;
  };
  return walk(steps) ?? [];
}

/** The steps that set what another one finds. */
export const settersBefore = (steps: readonly Step[], id: string): Step[] =>
  setBefore(steps, (list, at) => list[at]?.id === id).map(({ setter }) => setter);

/** The step whose value another one finds under a name: the last one before it that sets it; for a loop, also one inside. */
export function variableSetter(steps: readonly Step[], id: string, name: string): Step | undefined {
  let loop: Step | undefined;
  const before = setBefore(steps, (list, at) => {
    const step = list[at];
    if (step?.id !== id) return false;
    if (step.type === 'loop') loop = step;
    return true;
  });
  const inside = loop ? listsIn(loop).flatMap(({ steps: held }) => held.flatMap(setBy)) : [];
  const hasName = (set: NameSet) => set.name === name;
  return (before.findLast(hasName) ?? inside.findLast(hasName))?.setter;
}

/** The names that the steps of a list give those after it, with the members that are known. */
export const stepOutputNames = (steps: readonly Step[]): string[] => [
  ...new Set(steps.flatMap(setBy).flatMap(({ name, setter }) => [name, ...membersOf(name, setter)])),
];

const answerMembers = ['choice', 'values', 'comment', 'answeredBy', 'answeredAt'];
const membersOf = (name: string, { type }: Step) =>
  type === 'approval' ? answerMembers.map((member) => `${name}.${member}`) : [];

/** The names that are known before the first step of a list that a step holds. @param variableNames Those before the step */
export const namesKnownInside = (
  holder: Pick<Step, 'type' | 'config'>,
  variableNames: readonly string[],
): string[] => [
  ...new Set([...variableNames, ...namesInside(holder), ...(holder.type === 'loop' ? ['_loop.index'] : [])]),
];

/** The names that are known before the first step of a list. */
export function namesBefore(steps: readonly Step[], within: HeldListKey | undefined): readonly string[] {
  const around = within && [...eachStep(steps)].find(({ step }) => step.id === within.holderId);
  if (!around) return [];
  const before = [...namesBefore(steps, around.within), ...stepOutputNames(around.list.slice(0, around.at))];
  return namesKnownInside(around.step, before);
}
