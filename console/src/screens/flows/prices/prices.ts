import type { OperationResponse } from '../../../api/api.ts';

/** USD per 1,000 tokens. */
export interface TokenPrice {
  input: number;
  output: number;
}

type Catalog = Pick<OperationResponse<'model-configs.grouped'>, 'data'>;
type Configs = Pick<OperationResponse<'model-configs.list'>, 'data'>;

/** The price of a model as steps name it: that of the settings, else that of the catalog. */
export function namedModelPrice(
  model: string,
  { catalog, configs }: { catalog: Catalog | undefined; configs: Configs | undefined },
): TokenPrice | undefined {
  const config = configs?.data.find(
    ({ id, isDefault, provider, modelId }) =>
      id === model || (model === 'default' ? isDefault : [modelId, `${provider}/${modelId}`].includes(model)),
  );
  const offer = catalog?.data
    .flatMap(({ providers }) => providers)
    .find(({ provider, modelId }) => [modelId, `${provider}/${modelId}`].includes(model));
  const { inputCostPer1kTokens: input, outputCostPer1kTokens: output } = config ?? offer ?? {};
  return input === undefined ? undefined : { input, output: output ?? 0 };
}
