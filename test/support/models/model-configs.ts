import { expectStatus } from '../flows/flows.ts';
import type { Tenant } from '../stack/stack.ts';

type Caller = Pick<Tenant, 'call'>;

export interface ShownConfig {
  id: string;
  isDefault: boolean;
  isEnabled: boolean;
  keyStatus: string;
}

/** A config made through the API. */
export const newConfig = async ({ call }: Caller, body: object = {}) =>
  expectStatus(
    201,
    call('POST', '/v1/model-configs', { body: { provider: 'openai', modelId: 'gpt-5-mini', ...body } }),
  );

/** A provider key made through the API. */
export const newProviderKey = async ({ call }: Caller, body: object = {}) => {
  const whole = { provider: 'openai', name: 'a key', apiKey: 'sk-a-key-of-openai', ...body };
  return (await expectStatus(201, call('POST', '/v1/provider-keys', { body: whole }))).providerKey;
};

export const listConfigs = async ({ call }: Caller): Promise<ShownConfig[]> =>
  (await expectStatus(200, call('GET', '/v1/model-configs'))).data;

export const defaultsAmong = (configs: readonly ShownConfig[]) =>
  configs.filter(({ isDefault }) => isDefault).map(({ id }) => id);

/** A scripted model with prices in USD per 1,000 tokens. @returns its name in the config of an agent */
export async function pricedModel(
  caller: Caller,
  { input = 0.001, output = 0.002, tokensMax = 300, mapping = 'scripted' } = {},
): Promise<string> {
  const customModel = {
    displayName: 'Priced',
    inputCostPer1kTokens: input,
    outputCostPer1kTokens: output,
    maxOutputTokens: tokensMax,
    executorConfig: { modelMapping: mapping },
  };
  const body = { provider: 'generic-openai', modelId: mapping, settings: { customModel } };
  return (await newConfig(caller, body)).id;
}
