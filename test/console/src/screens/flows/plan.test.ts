import { expect, test } from 'vitest';
import {
  before,
  keptResults,
  resultIdentity,
} from '../../../../../console/src/screens/flows/data/kept-results.ts';
import {
  livePlan,
  planUpTo,
  type RecordedOutcome,
  stepsUpTo,
} from '../../../../../console/src/screens/flows/data/plan.ts';
import { variablesBefore } from '../../../../../console/src/screens/flows/data/variables.ts';
import { variableSetter } from '../../../../../console/src/screens/flows/steps/scopes.ts';
import type { Step } from '../../../../../console/src/screens/flows/steps/steps.ts';

const step = (id: string, type = 'template', config: object = {}): Step => ({
  id,
  type,
  name: `Step ${id}`,
  config: { outputVariable: id, ...config },
});
const condition = (id: string, trueSteps: Step[], falseSteps: Step[] = []): Step => ({
  id,
  type: 'conditional',
  name: id,
  config: { condition: 'true', trueSteps, falseSteps },
});
const acts = ({ type }: Step) => type === 'prompt';
const none = () => undefined;
const itself = (it: Step) => [it];
const ids = (steps: readonly Step[] | undefined) => steps?.map(({ id }) => id);

test('a step inside of a condition ends its branch, and the other branch is left out', () => {
  const [outer] = stepsUpTo([condition('if', [step('a'), step('b')], [step('c')]), step('d')], 'a') ?? [];
  expect(outer?.config).toMatchObject({ trueSteps: [{ id: 'a' }], falseSteps: [] });
  expect(stepsUpTo([step('a')], 'missing')).toBeUndefined();
});

test('what costs nothing runs at once, up to the first step that costs something and did not run yet', () => {
  const steps = [step('a'), step('paid', 'prompt'), step('b')];
  expect(ids(livePlan(steps, 'a', { acts, outcomeOf: none }, itself).steps)).toEqual(['a']);
  const waiting = livePlan(steps, 'b', { acts, outcomeOf: none }, itself);
  expect(ids(waiting.steps)).toEqual(['a']);
  expect(ids(waiting.waitsFor)).toEqual(['paid']);
});

test('a step that ran sets its variable to what it made, of any type, instead of running again', () => {
  const steps = [condition('if', [step('paid', 'prompt')]), step('b')];
  const outcomeOf = (): RecordedOutcome => ({ status: 'completed', output: { a: '{{ b }}' } });
  const plan = livePlan(steps, 'b', { acts, outcomeOf }, itself);
  expect(plan.waitsFor).toEqual([]);
  expect(plan.inputs).toEqual({ kept_0: { a: '{{ b }}' } });
  expect(plan.steps[0]?.config?.trueSteps).toEqual([
    { ...step('paid'), type: 'set-variable', config: { variableName: 'paid', value: '{{ kept_0 }}' } },
  ]);
});

test('one that was not reached, and one that nobody reads, are off; waits are skipped', () => {
  const unread = { ...step('quiet', 'prompt'), config: {} };
  const steps = [step('paid', 'prompt'), unread, step('wait', 'wait-until'), step('b')];
  const outcomeOf = ({ id }: Step): RecordedOutcome =>
    id === 'paid' ? { status: 'skipped', output: null } : { status: 'completed', output: 'x' };
  const plan = livePlan(steps, 'b', { acts, outcomeOf }, itself);
  expect(plan.steps.map(({ enabled }) => enabled)).toEqual([false, false, undefined, undefined]);
  expect(plan.steps[2]?.type).toBe('set-variable');
});

test('the step that somebody runs runs again; those before it do not', () => {
  const outcomeOf = (): RecordedOutcome => ({ status: 'completed', output: 1 });
  const { steps } = planUpTo([step('one', 'prompt'), step('two', 'prompt')], 'two', { acts, outcomeOf });
  expect(steps.map(({ type }) => type)).toEqual(['set-variable', 'prompt']);
});

test('results count for the same step and record, whatever its name, and know what was before', () => {
  const steps = [step('a'), condition('if', [step('paid', 'prompt')], [step('other', 'prompt')])];
  const run = {
    steps: [
      {
        id: 'paid',
        stepPath: 'if/paid',
        path: '1.0',
        name: '',
        stepType: 'prompt',
        status: 'completed',
        output: 'x',
        parts: [],
      },
    ],
    end: { status: 'completed' },
  } as const;
  const ran = { steps, record: { id: 'r' }, run, acts, reused: new Set<string>(), lastId: 'if' };
  const results = keptResults(ran);
  expect(results.get('paid')).toMatchObject({ status: 'completed', output: 'x' });
  expect(results.get('other')).toMatchObject({ status: 'skipped' });
  expect(results.get('paid')?.of).toBe(
    resultIdentity({ ...step('paid', 'prompt'), name: 'New' }, { id: 'r' }),
  );
  expect(results.get('paid')?.of).not.toBe(resultIdentity(step('paid', 'prompt'), undefined));
  expect(before([step('changed'), ...steps.slice(1)], 'paid')).not.toBe(results.get('paid')?.before);
  expect(keptResults({ ...ran, reused: new Set(['paid']) }).has('paid')).toBe(false);
});

test('a variable has its last value before the step, and the step that gave it', () => {
  const again = { ...step('again'), config: { outputVariable: 'a' } };
  const steps = [step('a'), again, step('b')];
  const ran = (id: string, output: unknown, status = 'completed') =>
    ({ id, path: '0', name: id, stepType: '', status, output, parts: [] }) as never;
  const run = { steps: [ran('a', 1), ran('again', 2), ran('b', 3)] };
  expect(variablesBefore('b', { steps, record: { id: 'r' }, run })).toEqual([
    { name: '_record', value: { id: 'r' }, setBy: undefined },
    { name: 'a', value: 2, setBy: again },
  ]);
  expect(variableSetter(steps, 'b', 'a')?.id).toBe('again');
  expect(variableSetter(steps, 'again', 'a')?.id).toBe('a');
});

test('around a step, maps take their first item, loops their first pass, and other branches nothing', () => {
  const inner = step('inner');
  const map = step('each', 'map', { items: 'list', output: 'later', steps: [inner, step('later')] });
  const loop = step('again', 'loop', { while: 'true', maxIterations: 9, steps: [map] });
  const branches = [
    { name: 'a', steps: [loop] },
    { name: 'b', steps: [step('other')] },
  ];
  const [around] = stepsUpTo([step('both', 'parallel', { branches })], 'inner') ?? [];
  expect(around?.config).toMatchObject({
    branches: [
      {
        name: 'a',
        steps: [{ id: 'again', config: { maxIterations: 1, onLimit: 'stop' } }],
      },
      { name: 'b', steps: [] },
    ],
  });
  const [cut] = stepsUpTo([map], 'inner') ?? [];
  expect(cut?.config).toEqual({ outputVariable: 'each', items: '(list).slice(0, 1)', steps: [inner] });
});

test('runs of the editor go on as if somebody had made the first choice', () => {
  const steps = [
    step('said', 'approval', { choices: ['yes', 'no'] }),
    step('heard', 'wait-for-callback'),
    step('b'),
  ];
  const plan = livePlan(steps, 'b', { acts, outcomeOf: none }, itself);
  expect(plan.waitsFor).toEqual([]);
  expect(plan.steps.map(({ type }) => type)).toEqual(['set-variable', 'set-variable', 'template']);
  expect(plan.inputs).toMatchObject({ kept_0: { choice: 'yes', values: {} }, kept_1: {} });
});
