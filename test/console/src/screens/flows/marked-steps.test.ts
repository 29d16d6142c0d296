import { expect, test } from 'vitest';
import {
  markedByInput,
  markedByOutput,
  markedByStep,
  markedByUse,
} from '../../../../../console/src/screens/flows/data/marked-steps.ts';
import type { Step } from '../../../../../console/src/screens/flows/steps/steps.ts';

const step = (id: string, template: string, outputVariable = id): Step => ({
  id,
  type: 'template',
  name: id,
  config: { template, outputVariable },
});
const first = step('city', '{{ _record.name }} {{ who }} {{ _now }}');
const second = step('text', '{{ city }}');
const condition: Step = {
  id: 'if',
  type: 'conditional',
  name: 'if',
  config: { condition: 'text.length > who.length', trueSteps: [step('inner', '{{ city }} {{ text }}')] },
};
const again = step('other', '{{ city }}', 'city');
const last = step('last', '{{ city }}');
const steps = [first, second, condition, again, last];

test('a variable that a step reads marks the last step before it that sets it, also from inside of a branch', () => {
  expect(markedByUse(steps, 'inner', 'text')).toEqual({
    variable: { name: 'text', setterId: 'text' },
    steps: new Map([['text', 'sets text']]),
  });
  expect(markedByUse(steps, 'last', 'city')?.steps).toEqual(new Map([['other', 'sets city']]));
});

test('an input of the run marks no step, and a name that the step does not read marks nothing', () => {
  expect(markedByUse(steps, 'city', 'who')).toEqual({
    variable: { name: 'who', setterId: undefined },
    steps: new Map(),
  });
  expect(markedByUse(steps, 'city', 'text')).toBeUndefined();
  expect(markedByUse(steps, 'gone', 'text')).toBeUndefined();
});

test('a step marks both ends: those that read its output, and those that set what it reads', () => {
  expect(markedByOutput(steps, first).steps).toEqual(
    new Map([
      ['text', 'uses city'],
      ['inner', 'uses city'],
      ['other', 'uses city'],
    ]),
  );
  expect(markedByStep(steps, second)).toEqual({
    variable: { name: 'text', setterId: 'text' },
    steps: new Map([
      ['city', 'sets city'],
      ['if', 'uses text'],
      ['inner', 'uses text'],
    ]),
  });
});

test('the input of the run marks the steps that read the record or an input', () => {
  expect(markedByInput(steps).steps).toEqual(
    new Map([
      ['city', 'uses _record, who'],
      ['if', 'uses who'],
    ]),
  );
});
