import { expect, test } from 'vitest';
import { namedModelPrice } from '../../../../../console/src/screens/flows/prices/prices.ts';
import { estimatedTokens } from '../../../../../console/src/screens/flows/prices/tokens.ts';
import { expectedText, trialTotals } from '../../../../../console/src/screens/flows/prompt/trial-totals.ts';
import {
  previewSteps,
  promptTexts,
  userMember,
} from '../../../../../console/src/screens/flows/steps/prompt-texts.ts';
import { tokensOfText } from '../../../../../shared/adapters/models/usage.ts';

const prompt = (config: object) => ({ id: 'p', type: 'prompt', name: 'p', config: { ...config } });

test('tokens are estimated as the service does', () => {
  for (const text of ['', 'Hello world', 'Grüße, 東京!', '{"a": [1, 2]}'])
    expect(estimatedTokens(text)).toBe(tokensOfText(text));
});

test('the preview renders both messages, without secrets; a flow with the alias keeps it', () => {
  const step = prompt({ systemPrompt: 'Be {{ tone }}', text: 'Use {{secret:TOKEN}}' });
  expect(userMember(step)).toBe('text');
  expect(promptTexts(step)).toEqual({ system: 'Be {{ tone }}', user: 'Use {{secret:TOKEN}}' });
  expect(previewSteps(step).map(({ config }) => config?.template)).toEqual([
    'Be {{ tone }}',
    'Use ••••• (TOKEN)',
  ]);
  expect(previewSteps(prompt({ userPrompt: ' ' }))).toEqual([]);
});

test('the price of a model is that of the settings, else that of the catalog', () => {
  const costs = (input: number) => ({ inputCostPer1kTokens: input, outputCostPer1kTokens: 2 * input });
  const catalog = { data: [{ providers: [{ provider: 'a', modelId: 'm', ...costs(1) }] }] } as never;
  const configs = {
    data: [{ id: 'modelcfg_1', provider: 'b', modelId: 'n', isDefault: true, ...costs(3) }],
  } as never;
  const find = (model: string) => namedModelPrice(model, { catalog, configs });
  expect(find('a/m')).toEqual({ input: 1, output: 2 });
  expect(find('m')).toEqual({ input: 1, output: 2 });
  for (const model of ['default', 'modelcfg_1', 'b/n', 'n'])
    expect(find(model)).toEqual({ input: 3, output: 6 });
  expect(find('unknown')).toBeUndefined();
  expect(namedModelPrice('default', { catalog: undefined, configs: undefined })).toBeUndefined();
});

test('what tests will cost is said as far as it is known', () => {
  const priceOf = (model: string) => (model === 'priced' ? { input: 0.001, output: 0.002 } : undefined);
  const given = { records: 10, inputTokens: 1_000, priceOf };
  expect(expectedText(['priced'], given)).toBe(
    '10 runs. About $0.01 for the input, and $2.00 per million tokens of output',
  );
  expect(expectedText(['priced', 'new'], { ...given, records: 1 })).toBe(
    '2 runs. About $0.0010 for the input, and $2.00 per million tokens of output. Cost unknown: no price for new',
  );
});

test('the totals of a model count what has ended, and say if a price is not known', () => {
  const state = (cost: string | null, status = 'completed') =>
    ({ status: 'ended', run: { steps: [{ id: 'p', status, durationMs: 100, tokens: 5, cost }] } }) as never;
  expect(trialTotals([state('0.5'), state('0.25', 'failed')], 'p')).toBe(
    '2 of 2 · 1 failed · 100 ms on average · 10 tokens · $0.75',
  );
  expect(trialTotals([state(null)], 'p')).toBe('100 ms · 5 tokens · no known price');
  expect(trialTotals([state('1', 'running')], 'p')).toBe('0 of 1');
});
