import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { allLists } from '../../../../../console/src/screens/flows/steps/lists.ts';
import {
  eachStep,
  type FoundStep,
  listAt,
  type StepPlace,
  withList,
} from '../../../../../console/src/screens/flows/steps/places.ts';
import {
  asSteps,
  copyStep,
  moved,
  restoreStep,
  type Step,
} from '../../../../../console/src/screens/flows/steps/steps.ts';
import { nestedFlows } from '../../../../support/flows/nested-flows.ts';

const added: Step = { id: 'added', type: 'template', name: 'added' };

const listsOf = (steps: readonly Step[]): StepPlace['within'][] => [
  undefined,
  ...[...eachStep(steps)].flatMap(({ step }) =>
    allLists(step).map(({ name }) => ({ holderId: step.id, name })),
  ),
];

/** The steps that are in other lists than one, without the lists that they hold. */
const outside = (steps: readonly Step[], within: StepPlace['within']) =>
  [...eachStep(steps)]
    .toSorted((one, other) => one.step.id.localeCompare(other.step.id))
    .flatMap(({ step: { config, ...step }, ...place }: FoundStep) =>
      place.within?.holderId === within?.holderId && place.within?.name === within?.name
        ? []
        : [{ ...step, output: config?.outputVariable, holder: place.within?.holderId, at: place.at }],
    );

test('every edit of a list keeps the steps outside of it', () => {
  fc.assert(
    fc.property(nestedFlows, fc.nat(), fc.nat(), fc.nat(), (steps, anyList, anyPlace, otherPlace) => {
      const lists = listsOf(steps);
      const within = lists[anyList % lists.length];
      const list = listAt(steps, within);
      const at = anyPlace % (list.length + 1);
      const edits = [
        list.toSpliced(at, 0, added),
        moved(list, at, otherPlace % (list.length + 1)),
        list.map((step) => ({ ...step, name: 'renamed' })),
      ];
      for (const edited of edits) {
        const next = withList(steps, within, edited);
        expect(listAt(next, within)).toEqual(edited);
        expect(outside(next, within)).toEqual(outside(steps, within));
      }
    }),
  );
});

test('a step that is removed and brought back stands where it was, and nothing else has changed', () => {
  fc.assert(
    fc.property(nestedFlows, fc.nat(), (steps, any) => {
      const all = [...eachStep(steps)];
      const found = all[any % all.length];
      if (!found) return;
      const { step, list, at, within } = found;
      const without = withList(steps, within, list.toSpliced(at, 1));
      expect([...eachStep(without)].map((each) => each.step.id)).not.toContain(step.id);
      expect(restoreStep(without, step, at, within)).toEqual(steps);
      expect(restoreStep(steps, step, at, within)).toBe(steps);
    }),
  );
});

test('a copy has the same steps with other ids, and what was stored is read as it is', () => {
  fc.assert(
    fc.property(nestedFlows, (steps) => {
      const copies = steps.map(copyStep);
      const all = [...eachStep(steps)];
      const copied = [...eachStep(copies)];
      expect(copied.map(({ step, path }) => `${step.name} ${path}`)).toEqual(
        all.map(({ step, path }) => `${step.name} ${path}`),
      );
      const ids = new Set(all.map(({ step }) => step.id));
      expect(copied.filter(({ step }) => ids.has(step.id))).toEqual([]);
      expect(asSteps(steps)).toEqual(steps);
    }),
  );
});
