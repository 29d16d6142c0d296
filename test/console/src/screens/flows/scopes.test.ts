import { expect, test } from 'vitest';
import { usedVariables, variableReaders } from '../../../../../console/src/screens/flows/data/uses.ts';
import {
  namesBefore,
  settersBefore,
  stepOutputNames,
  variableSetter,
} from '../../../../../console/src/screens/flows/steps/scopes.ts';
import type { Step } from '../../../../../console/src/screens/flows/steps/steps.ts';

const step = (id: string, config: object = {}, type = 'template'): Step => ({
  id,
  type,
  name: id,
  config: { outputVariable: id, ...config },
});
const text = (id: string, template: string) => step(id, { template });
const map = (id: string, config: object) => step(id, { items: 'before', ...config }, 'map');
const loop = (id: string, config: object) => step(id, { maxIterations: 2, ...config }, 'loop');

const each = map('each', { as: 'one', indexAs: 'at', steps: [text('y', '{{ one }}'), text('z', '{{ y }}')] });
const again = loop('again', { while: '_loop.index < 2 && w !== 1', steps: [text('w', '{{ _loop.index }}')] });
const both = step(
  'both',
  {
    branches: [
      { name: 'left', steps: [each] },
      { name: 'right', steps: [again, text('v', '{{ w }}')] },
    ],
    onError: 'continue',
  },
  'parallel',
);
const last = text('last', '{{ both }} {{ w }} {{ y }}');
const steps = [text('before', 'x'), both, last];

test('names are offered where they are set: not those of other branches and items', () => {
  const names = (holderId: string, name: string) => namesBefore(steps, { holderId, name });
  expect(names('both', 'branches.0.steps')).toEqual(['before']);
  expect(names('each', 'steps')).toEqual(['before', 'one', 'at']);
  expect(names('both', 'branches.1.steps')).toEqual(['before']);
  expect(names('again', 'steps')).toEqual(['before', '_loop', '_loop.index']);
  expect(stepOutputNames(steps)).toEqual(['before', 'both', 'bothErrors', 'last']);
  expect(stepOutputNames([again])).toEqual(['w', 'again']);
  expect(stepOutputNames([map('m', {})])).toEqual(['m']);
  expect(namesBefore([map('m', { steps: [] })], { holderId: 'm', name: 'steps' })).toEqual(['item']);
});

test('an approval offers the members of its answer', () => {
  const members = ['choice', 'values', 'comment', 'answeredBy', 'answeredAt'];
  const offered = stepOutputNames([step('said', {}, 'approval')]);
  expect(offered).toEqual(['said', ...members.map((member) => `said.${member}`)]);
});

test('a value comes from the step that sets it in the same branch, item or pass, or around it', () => {
  const setter = (id: string, name: string) => variableSetter(steps, id, name)?.id;
  expect(setter('y', 'one')).toBe('each');
  expect(setter('z', 'y')).toBe('y');
  expect(setter('v', 'w')).toBe('w');
  expect(setter('again', 'w')).toBe('w');
  expect(setter('w', '_loop')).toBe('again');
  expect(setter('last', 'both')).toBe('both');
  for (const name of ['w', 'y']) expect(setter('last', name)).toBeUndefined();
  expect(setter('w', 'y')).toBeUndefined();
  expect(variableReaders(steps, text('w', '')).map(({ id }) => id)).toEqual(['again', 'v']);
  expect(settersBefore(steps, 'v').map(({ id }) => id)).toEqual(['before', 'w', 'again']);
});

test('a step reads what its own expressions name, and not what is set inside of it for the item', () => {
  const output = map('m', { output: '[y, before]', steps: [text('y', '{{ other }}')] });
  expect(usedVariables(output)).toEqual(['before']);
  expect(usedVariables(again)).toEqual(['_loop', 'w']);
  expect(usedVariables(both)).toEqual([]);
});
