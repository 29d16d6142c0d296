import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../../shared/adapters/ports/model-port.ts';
import type { Sandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import type { FlowStepInput } from '../../../../shared/domain/flows/checking/flow-step.ts';
import type { FlowStep } from '../../../../shared/domain/flows/steps/step.ts';
import type { FlowRun, StepResult } from '../../../../shared/execution/engine/engine.ts';
import { type EngineEvent, engineEvents } from '../../../support/flows/engine-events.ts';
import { fakeModel } from '../../../support/models/model-ports.ts';
import { fakePorts, flowSteps, prompt, renderStep, setVariable, transform } from './engine-world.ts';

/** Runs steps to their end with fake ports, and gathers what happened. */
async function run(steps: FlowStep[], world: Partial<Omit<FlowRun, 'steps'>> = {}) {
  const events: EngineEvent[] = [];
  const running = {
    variables: {},
    ports: fakePorts(),
    signal: new AbortController().signal,
    ...world,
    steps,
  };
  for await (const event of engineEvents(running)) events.push(event);
  const results = events.flatMap((event) => (event.type === 'step_end' ? [event.result] : []));
  const end = events.at(-1);
  if (end?.type !== 'run_end') throw new Error('The run did not end');
  return { events, results, end };
}

const outcomes = (results: StepResult[]) => results.map(({ path, status }) => `${path} ${status}`);
const failing = (message = 'no') => transform(`throw new Error('${message}')`);

/** A model that answers, or fails, as the list says, call by call. */
function scripted(...answers: (string | StepError)[]) {
  const requests: ModelRequest[] = [];
  const model = fakeModel(
    (request) => {
      const answer = answers[requests.push(request) - 1] ?? 'no more answers';
      if (answer instanceof StepError) throw answer;
      return answer;
    },
    { usage: { inputTokens: 2, outputTokens: 1 }, cost: '0.5' },
  );
  return { requests, ports: fakePorts({ model }) };
}

test('steps run in order with an event before and after each, and the run ends with the last output', async () => {
  const steps = flowSteps(
    renderStep('one', 'a'),
    renderStep('{{ a }} two', 'b'),
    renderStep('{{ b }} three'),
  );
  const { events, results, end } = await run(steps);
  expect(events.map(({ type }) => type)).toEqual([
    ...Array.from({ length: 3 }, () => ['step_start', 'step_end']).flat(),
    'run_end',
  ]);
  expect(results.map(({ path, output }) => [path, output])).toEqual([
    ['0', 'one'],
    ['1', 'one two'],
    ['2', 'one two three'],
  ]);
  expect(results.map(({ stepId }) => stepId)).toEqual(steps.map(({ id }) => id));
  expect(end).toEqual({ type: 'run_end', success: true, output: 'one two three', retryable: false });
});

test('a run without steps succeeds with no output', async () => {
  expect((await run([])).end).toEqual({ type: 'run_end', success: true, output: null, retryable: false });
});

test('a result contains the start and the duration of its step, by the clock of the ports', async () => {
  const times = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.250Z'].map((time) => new Date(time));
  const { results } = await run(flowSteps(renderStep('x')), {
    ports: fakePorts({ now: () => times.shift() ?? new Date(0) }),
  });
  expect(results).toEqual([
    {
      path: '0',
      stepId: 'step-0',
      status: 'completed',
      startedAt: '2026-01-01T00:00:00.000Z',
      durationMs: 1_250,
      retryCount: 0,
      output: 'x',
    },
  ]);
});

test('a clock that is set back yields no negative duration', async () => {
  const times = [new Date(2_000), new Date(1_000)];
  const { results } = await run(flowSteps(renderStep('x')), {
    ports: fakePorts({ now: () => times.shift() ?? new Date(0) }),
  });
  expect(results).toMatchObject([{ durationMs: 0 }]);
});

test('an error message of up to a thousand characters is kept, a longer one truncated', async () => {
  const errorOf = async (length: number) => {
    const model = fakeModel(() => Promise.reject(new StepError('e'.repeat(length))));
    return (await run(flowSteps(prompt('x')), { ports: fakePorts({ model }) })).end.error;
  };
  expect(await errorOf(1_000)).toBe('e'.repeat(1_000));
  expect(await errorOf(1_001)).toBe(`${'e'.repeat(1_000)}…`);
});

test('an aborted run starts no step', async () => {
  const signal = AbortSignal.abort(new Error('gone'));
  const told: EngineEvent[] = [];
  const steps = flowSteps(setVariable('a', 1));
  const walk = async () => {
    for await (const event of engineEvents({ steps, variables: {}, ports: fakePorts(), signal }))
      told.push(event);
  };
  await expect(walk()).rejects.toThrow('gone');
  expect(told).toEqual([]);
});

test('a disabled step emits no events', async () => {
  const { results } = await run(flowSteps({ ...renderStep('off'), enabled: false }, renderStep('on')));
  expect(outcomes(results)).toEqual(['1 completed']);
});

test('a step whose "when" is falsy is skipped, and changes neither its variable nor the output', async () => {
  const steps = flowSteps(
    renderStep('kept', 'x'),
    { ...renderStep('lost', 'x'), when: 'amount > 10' },
    renderStep('{{ x }}'),
  );
  const { results, end } = await run(steps, { variables: { amount: 5 } });
  expect(outcomes(results)).toEqual(['0 completed', '1 skipped', '2 completed']);
  expect(results[1]).not.toHaveProperty('output');
  expect(end.output).toBe('kept');
  expect((await run(steps, { variables: { amount: 11 } })).end.output).toBe('lost');
});

test('the output is that of the last step that ran if a later one was skipped', async () => {
  const { end } = await run(flowSteps(renderStep('kept'), { ...renderStep('lost'), when: 'false' }));
  expect(end.output).toBe('kept');
});

test('a "when" that throws fails its step', async () => {
  const { results, end } = await run(
    flowSteps({ ...renderStep('x'), when: 'missing.name' }, renderStep('y')),
  );
  expect(outcomes(results)).toEqual(['0 failed']);
  expect(results[0]?.error).toContain('missing');
  expect(end).toMatchObject({ success: false, error: results[0]?.error });
});

test('outputVariable and set-variable pass values with their types to later steps', async () => {
  const steps = flowSteps(
    transform('({ list: [1, 2], name: "Ada" })', 'data'),
    setVariable('list', '{{ data.list }}'),
    transform('list.length + data.list[1]', 'sum'),
    renderStep('{{ sum }} {{ data.name }}'),
  );
  const variables = { data: 'before' };
  expect((await run(steps, { variables })).end.output).toBe('4 Ada');
  expect(variables).toEqual({ data: 'before' });
});

test('a conditional runs the branch of its condition and then continues, also when nested', async () => {
  const steps = flowSteps(
    {
      type: 'conditional',
      name: 'outer',
      config: {
        condition: 'n > 1',
        trueSteps: [
          renderStep('big', 'size'),
          {
            type: 'conditional',
            name: 'inner',
            config: {
              condition: 'n > 2',
              trueSteps: [renderStep('huge', 'size')],
              falseSteps: [renderStep('x'), renderStep('{{ size }} but not huge', 'size')],
            },
          },
        ],
        falseSteps: [renderStep('small', 'size')],
      },
    },
    renderStep('{{ size }}'),
  );
  const paths = async (n: number) => {
    const { results, end } = await run(steps, { variables: { n } });
    return [...results.map(({ path }) => path), end.output];
  };
  expect(await paths(1)).toEqual(['0', '0.false.0', '1', 'small']);
  expect(await paths(2)).toEqual([
    '0',
    '0.true.0',
    '0.true.1',
    '0.true.1.false.0',
    '0.true.1.false.1',
    '1',
    'big but not huge',
  ]);
  expect(await paths(3)).toEqual(['0', '0.true.0', '0.true.1', '0.true.1.true.0', '1', 'huge']);
});

test('a condition returns what matched; one that throws fails its step and enters no branch', async () => {
  const conditional = (condition: string) =>
    flowSteps({ type: 'conditional', name: 'c', config: { condition, falseSteps: [renderStep('branch')] } });
  expect((await run(conditional('"yes"'))).end.output).toEqual({ matched: true, result: 'yes' });
  expect(outcomes((await run(conditional('missing.name'))).results)).toEqual(['0 failed']);
});

test('a failed step ends the run, also from within a branch', async () => {
  const branch = { type: 'conditional', name: 'c', config: { condition: 'true', trueSteps: [failing()] } };
  const { results, end } = await run(flowSteps(renderStep('first'), branch, renderStep('never')));
  expect(outcomes(results)).toEqual(['0 completed', '1 completed', '1.true.0 failed']);
  expect(end).toMatchObject({ success: false, error: expect.stringContaining('no'), retryable: false });
});

test('the end of a failed run tells whether a retry may succeed', async () => {
  const fails = (retryable: boolean) =>
    run(flowSteps(prompt('x')), scripted(new StepError('busy', { retryable })));
  expect((await fails(true)).end).toMatchObject({ success: false, error: 'busy', retryable: true });
  expect((await fails(false)).end).toMatchObject({ success: false, error: 'busy', retryable: false });
});

test('onError fail is the default; continue proceeds without an output', async () => {
  const handled = (onError: string) => ({
    ...failing(),
    config: { script: 'throw new Error("no")', outputVariable: 'x', errorHandling: { onError } },
  });
  expect(outcomes((await run(flowSteps(handled('fail'), renderStep('after')))).results)).toEqual([
    '0 failed',
  ]);
  const { results, end } = await run(flowSteps(handled('continue'), renderStep('x={{ x }}')));
  expect(outcomes(results)).toEqual(['0 failed', '1 completed']);
  expect(end).toEqual({ type: 'run_end', success: true, output: 'x=', retryable: false });
});

const withFallbacks = (...fallbacks: object[]) =>
  prompt('hello', { errorHandling: { onError: 'fallback', fallbacks }, outputVariable: 'answer' });

test.each(['fail', 'continue'])('fallbacks with onError %s are not used', async (onError) => {
  const fallbacks = [{ type: 'message', message: 'instead' }];
  const steps = flowSteps(prompt('x', { errorHandling: { onError, fallbacks } }));
  const { results } = await run(steps, scripted(new StepError('down')));
  expect(results).toMatchObject([{ status: 'failed', error: 'down' }]);
});

const attemptsOf = ([first]: readonly StepResult[]) =>
  first?.attempts?.map(({ type, model, status, error }) =>
    [type, model, status, error].filter(Boolean).join(' '),
  );

test('a step that succeeds at once has no list of attempts', async () => {
  const { results } = await run(flowSteps(withFallbacks({ type: 'retry' })), scripted('one'));
  expect(results[0]).not.toHaveProperty('attempts');
});

test('attempts are limited, and so is the error of each', async () => {
  const long = new StepError('x'.repeat(1_000));
  const world = scripted(...Array.from({ length: 31 }, () => long));
  const alternatives = async () => Array.from({ length: 15 }, (_, n) => `p${n}/m`);
  const ports = { ...world.ports, model: { ...world.ports.model, alternatives } };
  const { results } = await run(flowSteps(withFallbacks({ type: 'provider' }, { type: 'provider' })), {
    ports,
  });
  expect(results[0]).toMatchObject({ status: 'failed', retryCount: 30 });
  expect(results[0]?.attempts).toHaveLength(20);
  expect(results[0]?.attempts?.[0]?.error).toHaveLength(301);
});

test('a retry fallback retries the step, as often as it is listed', async () => {
  const world = scripted(new StepError('one'), new StepError('two'), 'three');
  const { results } = await run(flowSteps(withFallbacks({ type: 'retry' }, { type: 'retry' })), world);
  expect(results).toMatchObject([{ status: 'completed', output: 'three', retryCount: 2 }]);
  expect(attemptsOf(results)).toEqual(['initial failed one', 'retry failed two', 'retry completed']);
  expect(world.requests).toHaveLength(3);
});

test('when all fallbacks fail, the last failure stays and the run fails', async () => {
  const world = scripted(new StepError('one'), new StepError('two', { retryable: true }));
  const { results, end } = await run(flowSteps(withFallbacks({ type: 'retry' })), world);
  expect(results).toMatchObject([{ status: 'failed', error: 'two', retryCount: 1 }]);
  expect(attemptsOf(results)).toEqual(['initial failed one', 'retry failed two']);
  expect(end).toMatchObject({ success: false, error: 'two', retryable: true });
});

test('a provider fallback tries the same model at the other providers, until one answers', async () => {
  const world = scripted(new StepError('down'), new StepError('down too'), 'from the third');
  const asked: string[] = [];
  const alternatives = async (model: string) => {
    asked.push(model);
    return ['one/m', 'two/m', 'three/m'];
  };
  const ports = { ...world.ports, model: { ...world.ports.model, alternatives } };
  const { results } = await run(flowSteps(withFallbacks({ type: 'provider' })), { ports });
  expect(results).toMatchObject([{ output: 'from the third', modelUsed: 'two/m', retryCount: 2 }]);
  expect(asked).toHaveLength(1);
  expect(attemptsOf(results)).toEqual([
    'initial failed down',
    'provider one/m failed down too',
    'provider two/m completed',
  ]);
});

test('a model fallback calls another model with its own settings', async () => {
  const world = scripted(new StepError('down'), 'from the other');
  const fallback = { type: 'model', model: 'other', temperature: 0.1, maxTokens: 7 };
  const { results } = await run(flowSteps(withFallbacks(fallback)), world);
  expect(results).toMatchObject([{ output: 'from the other', modelUsed: 'other', retryCount: 1 }]);
  expect(world.requests).toMatchObject([
    { model: 'fake', messages: [{ content: 'hello' }] },
    { model: 'other', settings: { temperature: 0.1, maxTokens: 7 }, messages: [{ content: 'hello' }] },
  ]);
});

test('a message fallback is the output, and no further model is called', async () => {
  const world = scripted(new StepError('down'));
  const fallbacks = [{ type: 'message', message: 'Sorry' }, { type: 'retry' }];
  const { results, end } = await run(
    flowSteps(withFallbacks(...fallbacks), renderStep('{{ answer }}!')),
    world,
  );
  expect(outcomes(results)).toEqual(['0 completed', '1 completed']);
  expect(end).toMatchObject({ success: true, output: 'Sorry!' });
  expect(world.requests).toHaveLength(1);
});

test('an empty answer is a failure, for fallbacks of either trigger', async () => {
  const handled = (...types: string[]) =>
    prompt('x', {
      errorHandling: {
        onError: 'fallback',
        ...(types.length > 0 && { triggers: types.map((type) => ({ type })) }),
        fallbacks: [{ type: 'message', message: 'instead' }],
      },
    });
  const output = async (step: object, answer: string | StepError) =>
    (await run(flowSteps(step as never), scripted(answer))).end.output;
  expect(await output(handled('empty-output'), ' \n')).toBe('instead');
  expect(await output(handled('error', 'empty-output'), '')).toBe('instead');
  expect(await output(handled(), '')).toBe('instead');
  expect(await output(handled('empty-output'), '')).toBe('instead');
  expect(await output(handled('empty-output'), 'full')).toBe('full');
  expect(await output(handled('error'), new StepError('down'))).toBe('instead');
  const unhandled = await run(flowSteps(handled('empty-output')), scripted(new StepError('down')));
  expect(outcomes(unhandled.results)).toEqual(['0 failed']);
});

test('a fallback waits for its delay, and a signal ends the wait', async () => {
  const delayed = (delay: number) => flowSteps(withFallbacks({ type: 'retry', delay }));
  const before = performance.now();
  await run(delayed(60), scripted(new StepError('down'), 'up'));
  expect(performance.now() - before).toBeGreaterThanOrEqual(59);
  const signal = AbortSignal.timeout(20);
  await expect(run(delayed(60_000), { ...scripted(new StepError('down')), signal })).rejects.toThrow();
});

test('the outputs of a run have at most 100 million characters together', async () => {
  const large = 'x'.repeat(40_000_000);
  const steps = flowSteps(...[1, 2, 3].map((n) => setVariable(`v${n}`, '{{ large }}')));
  const { results, end } = await run(steps, { variables: { large } });
  expect(outcomes(results)).toEqual(['0 completed', '1 completed', '2 failed']);
  expect(end.error).toContain('more than 100000000 characters together');
});

test('an aborted run throws the reason of its signal and emits no failed step', async () => {
  const stopping = new AbortController();
  const model = fakeModel(() => {
    stopping.abort(new Error('out of time'));
    throw new StepError('called off');
  });
  const told: string[] = [];
  const steps = flowSteps(renderStep('first'), prompt('x'), renderStep('never'));
  const running = engineEvents({
    steps,
    variables: {},
    ports: fakePorts({ model }),
    signal: stopping.signal,
  });
  const walk = async () => {
    for await (const event of running) told.push(event.type);
  };
  await expect(walk()).rejects.toThrow('out of time');
  expect(told).toEqual(['step_start', 'step_end', 'step_start']);
});

test('a run that is aborted while a condition is evaluated throws the reason, whatever the result', async () => {
  const stopping = new AbortController();
  const sandbox: Sandbox = async () => {
    stopping.abort(new Error('out of time'));
    return { error: 'threw' } as never;
  };
  const steps = flowSteps({ ...renderStep('x'), when: 'true' });
  const running = run(steps, { ports: fakePorts({ sandbox }), signal: stopping.signal });
  await expect(running).rejects.toThrow('out of time');
});

test('a bug is not reported as a failed step', async () => {
  const bug = () => Promise.reject(new TypeError('a bug'));
  await expect(run(flowSteps(prompt('x')), { ports: fakePorts({ model: fakeModel(bug) }) })).rejects.toThrow(
    TypeError,
  );
  const steps = flowSteps({ ...renderStep('x'), when: 'true' });
  await expect(run(steps, { ports: fakePorts({ sandbox: bug }) })).rejects.toThrow(TypeError);
});

test('a resumed run emits nothing for completed steps, and does not evaluate their conditions again', async () => {
  const steps = flowSteps({ ...renderStep('done', 'a'), when: 'true' }, renderStep('{{ a }} and on'));
  const { results } = await run(steps);
  const done = new Map(results.slice(0, 1).map((result) => [result.path, result]));
  const sandbox: Sandbox = () => Promise.reject(new Error('It was asked again'));
  const { events, end } = await run(steps, { done, ports: fakePorts({ sandbox }) });
  expect(events.map((event) => [event.type, 'path' in event && event.path])).toEqual([
    ['step_start', '1'],
    ['step_end', false],
    ['run_end', false],
  ]);
  expect(end.output).toBe('done and on');
});

test('no event follows a suspension, wherever it occurs', async () => {
  const wait: FlowStepInput = { type: 'wait-until', name: 'wait', config: { delayMs: 3_600_000 } };
  const branch: FlowStepInput = {
    type: 'conditional',
    name: 'if',
    config: { condition: 'true', trueSteps: [wait, renderStep('inside')] },
  };
  const world = { variables: {}, ports: fakePorts(), signal: new AbortController().signal };
  const events = await Array.fromAsync(
    engineEvents({ ...world, steps: flowSteps(branch, renderStep('after')) }),
  );
  expect(events.map(({ type }) => type)).toEqual(['step_start', 'step_end', 'step_start', 'suspend']);
});

test('the result of a prompt contains the prompt, the model, the tokens and the cost; only it has effects', async () => {
  const { events } = await run(
    flowSteps(renderStep('Ada', 'name'), prompt('Hello {{ name }}')),
    scripted('Hi'),
  );
  const ends = events.flatMap((event) => (event.type === 'step_end' ? [event] : []));
  expect(ends.map(({ effects }) => effects)).toEqual([false, true]);
  expect(ends[1]?.result).toMatchObject({
    output: 'Hi',
    resolvedPrompt: 'Hello Ada',
    modelUsed: 'fake',
    promptTokens: 2,
    completionTokens: 1,
    estimatedCost: '0.5',
  });
});
