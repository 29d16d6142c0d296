import { expect, test } from 'vitest';
import type { EmbeddingRequest } from '../../../../shared/adapters/ports/embedding-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { liveModels } from '../../../support/models/model-ports.ts';
import { configProblems, runStep } from './run-step.ts';
import '../../../support/stack/stack.ts';

const embeddingModel = 'generic-openai/embedder';
const variables = {
  name: 'Ada',
  texts: ['one', 'two', 'one'],
  product: { title: 'Lamp', tags: ['a'] },
  nothing: null,
  n: 7,
};

/** Runs the step with the run's model server. */
const embedding = (config: object) =>
  runStep(
    'generate-embedding',
    { embeddingModel, ...config },
    { variables, ports: { embed: liveModels.embed } },
  );

/** What the step asks to be embedded. */
async function asked(config: object) {
  const requests: EmbeddingRequest[] = [];
  const embed = async (request: EmbeddingRequest) => {
    requests.push(request);
    const facts = { modelUsed: 'm', keySource: 'platform' as const, promptTokens: 1, estimatedCost: null };
    return { vectors: request.texts.map(() => [1]), ...facts };
  };
  const { output } = await runStep(
    'generate-embedding',
    { embeddingModel, ...config },
    { variables, ports: { embed } },
  );
  return { texts: requests[0]?.texts, model: requests[0]?.model, output };
}

test('a text becomes one vector, with the tokens and the cost in the result', async () => {
  const { output, ...used } = await embedding({ inputSource: 'text', text: 'Hello {{ name }}' });
  expect(output).toHaveLength(64);
  expect(used).toEqual({
    modelUsed: embeddingModel,
    promptTokens: 3,
    completionTokens: 0,
    estimatedCost: null,
  });
});

test('a list becomes a list of vectors in the same order', async () => {
  const { output } = await embedding({ inputSource: 'variable', inputVariable: 'texts' });
  const [one, two, again] = output as number[][];
  expect(one).toEqual(again);
  expect(one).not.toEqual(two);
});

test.each([
  [{ text: 'Hello {{ name }}' }, ['Hello Ada'], [1]],
  [{ inputVariable: 'name' }, ['Ada'], [1]],
  [{ inputVariable: 'product' }, ['{"title":"Lamp","tags":["a"]}'], [1]],
  [{ inputVariable: 'product.tags' }, ['a'], [[1]]],
  [{ inputVariable: 'n' }, ['7'], [1]],
  [{ inputVariable: 'texts[1]' }, ['two'], [1]],
])('%j embeds %j', async (config, texts, output) => {
  expect(await asked(config)).toEqual({ texts, model: embeddingModel, output });
});

test.each([
  [{ inputVariable: 'missing.list' }, 'The variable missing.list is not set'],
  [{ inputVariable: 'nothing' }, 'The variable nothing is not set'],
  [{ text: '{{ missing }} ' }, 'The text to embed is empty'],
  [{ text: 'x', embeddingModel: 'nowhere/m' }, 'There is no model provider nowhere'],
])('%j fails permanently', async (config, message) => {
  const failure = await stepFailure(embedding(config));
  expect(failure.message).toContain(message);
  expect(failure.retryable).toBe(false);
});

test('an unavailable provider fails the step, which is retryable', async () => {
  const embed = async () => {
    throw new StepError('openai/m answered 503: down', { retryable: true });
  };
  const running = runStep('generate-embedding', { embeddingModel, text: 'x' }, { ports: { embed } });
  expect((await stepFailure(running)).retryable).toBe(true);
});

test('aborting the run aborts the call', async () => {
  const called = Promise.withResolvers<AbortSignal>();
  const embed = ({ signal }: EmbeddingRequest) => {
    called.resolve(signal);
    return new Promise<never>(() => {});
  };
  const run = new AbortController();
  runStep('generate-embedding', { embeddingModel, text: 'x' }, { ports: { embed }, signal: run.signal });
  const signal = await called.promise;
  run.abort();
  expect(signal.aborted).toBe(true);
});

const model = { embeddingModel };
test.each([
  [{ ...model }, 'text: Give either text or inputVariable'],
  [{ ...model, text: 'a', inputVariable: 'b' }, 'text: Give either text or inputVariable'],
  [
    { ...model, inputSource: 'variable', text: 'a' },
    'inputSource: Expected text, because that member is given',
  ],
  [
    { ...model, inputSource: 'text', inputVariable: 'a' },
    'inputSource: Expected variable, because that member is given',
  ],
  [{ ...model, inputSource: 'file', text: 'a' }, expect.stringContaining('inputSource: ')],
  [{ text: 'a' }, 'embeddingModel: Invalid input: expected string, received undefined'],
  [{ ...model, text: '{{ a' }, expect.stringContaining('text: ')],
  [{ ...model, text: '' }, expect.stringContaining('text: ')],
  [{ ...model, inputVariable: 'a b' }, expect.stringContaining('inputVariable: ')],
  [
    {
      ...model,
      text: 'a',
      errorHandling: { onError: 'fallback', fallbacks: [{ type: 'model', model: 'x' }] },
    },
    expect.stringContaining('errorHandling.fallbacks.0.type: '),
  ],
  [{ ...model, text: 'a', temperature: 1 }, expect.stringContaining('temperature')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('generate-embedding', config)).toEqual([problem]);
});
