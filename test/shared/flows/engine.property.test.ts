import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RunEvent, runFlow, type StepResult } from '../../../shared/flows/engine.ts';
import { type FlowStep, StepError } from '../../../shared/flows/step.ts';
import type { FlowStepInput } from '../../../shared/flows/steps/flow-step.ts';
import { fakePorts, flowSteps, prompt, setVariable, template, transform } from './engine-world.ts';

const variable = fc.constantFrom('a', 'b', 'c');
const condition = fc.constantFrom('true', 'false', 'a', 'b === "x"', 'String(c).length > 3', 'missing.name');

const errorHandling = fc.constantFrom(
  undefined,
  { onError: 'fail' },
  { onError: 'continue' },
  { onError: 'fallback', fallbacks: [{ type: 'message', message: 'instead' }] },
);

const plain = fc.oneof(
  variable.map((name) => template('a={{ a }} b={{ b }} c={{ c | size }}', name)),
  fc
    .tuple(variable, fc.constantFrom('x', 7, ['{{ b }}'], '{{ a }}', { of: '{{ c }}' }))
    .map(([name, value]) => setVariable(name, value)),
  fc
    .tuple(fc.constantFrom('[a, b]', 'return { c }', 'throw new Error("no")'), variable)
    .map(([script, name]) => transform(script, name)),
  fc
    .tuple(fc.constantFrom('say {{ a }}', 'fail', 'fail for good'), variable)
    .map(([text, outputVariable]) => prompt(text, { outputVariable })),
);

const { step: anyStep } = fc.letrec<{ step: FlowStepInput; list: FlowStepInput[] }>((tie) => ({
  list: fc.array(tie('step'), { maxLength: 3 }),
  step: fc
    .record({
      step: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        plain,
        fc
          .record({ condition, trueSteps: tie('list'), falseSteps: tie('list') })
          .map((config): FlowStepInput => ({ type: 'conditional', name: 'if', config })),
      ),
      handling: errorHandling,
      when: fc.option(condition, { nil: undefined, freq: 4 }),
      enabled: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
    })
    .map(({ step, handling, when, enabled }) => ({
      ...step,
      enabled,
      ...(when !== undefined && { when }),
      config: { ...step.config, ...(handling && { errorHandling: handling }) },
    })),
}));

interface NumberedConfig {
  userPrompt?: string;
  trueSteps?: FlowStep[];
  falseSteps?: FlowStep[];
}

/** Names each prompt by its place, so that a call tells which step made it. */
function numbered(steps: readonly FlowStep[], base = ''): FlowStep[] {
  return steps.map((step, index) => {
    const path = `${base}${index}`;
    const { userPrompt, trueSteps, falseSteps } = step.config as NumberedConfig;
    return {
      ...step,
      config: {
        ...step.config,
        ...(userPrompt && { userPrompt: `[${path}] ${userPrompt}` }),
        ...(trueSteps && { trueSteps: numbered(trueSteps, `${path}.true.`) }),
        ...(falseSteps && { falseSteps: numbered(falseSteps, `${path}.false.`) }),
      },
    };
  });
}

/** A model whose answer depends on the prompt alone, and which notes who asked. */
function notingModel() {
  const asked: string[] = [];
  const ports = fakePorts({
    model: async ({ messages }) => {
      const text = messages.at(-1)?.content ?? '';
      asked.push(/^\[(.*?)\]/.exec(text)?.[1] ?? '');
      if (text.includes('fail')) throw new StepError('busy', { retryable: !text.includes('for good') });
      return { text, modelUsed: 'fake', promptTokens: 3, completionTokens: 2, estimatedCost: '0.01' };
    },
  });
  return { asked, ports };
}

const timeless = ({ startedAt: _startedAt, durationMs: _durationMs, ...result }: StepResult) => result;
const resultIn = (event: RunEvent) => (event.type === 'step_end' ? [event.result] : []);

test('a run that is broken off after any step and goes on from there gives what an undisturbed one gives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 6 }), fc.nat(20), async (given, breakAt) => {
      const steps = numbered(flowSteps(...given));
      const run = { steps, variables: { a: 1, b: 'x' }, signal: new AbortController().signal };
      const undisturbed: RunEvent[] = [];
      for await (const event of runFlow({ ...run, ...notingModel() })) undisturbed.push(event);

      const { asked, ports } = notingModel();
      const done: StepResult[] = [];
      for await (const event of runFlow({ ...run, ports })) {
        done.push(...resultIn(event));
        if (done.length > breakAt) break;
      }
      // What was kept has been through JSON.
      const kept = done.map((result) => JSON.parse(JSON.stringify(result)) as StepResult);
      const rest: RunEvent[] = [];
      const earlier = new Map(kept.map((result) => [result.path, result]));
      for await (const event of runFlow({ ...run, ports, done: earlier })) rest.push(event);

      const all = [...kept, ...rest.flatMap(resultIn)];
      expect(all.map(timeless)).toEqual(undisturbed.flatMap(resultIn).map(timeless));
      expect(rest.at(-1)).toEqual(undisturbed.at(-1));
      expect(asked).toEqual([...new Set(asked)]);
    }),
    { numRuns: 150 },
  );
});
