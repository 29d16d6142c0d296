export const modelTexts = {
  standard: 'Default',
  standardNamed: (model: string) => `Default (${model})`,
  pricesPerMillion: (input: string, output: string) => `${input} in, ${output} out per million tokens`,
  shortPrices: (input: string, output: string) => `${input} / ${output}`,
  needsKey: 'needs a key',
  addKey: 'Add one',
  ofSettings: 'Your models',
  ofCatalog: 'Catalog (USD per million tokens, in and out)',
  showModels: 'Show models',
  unknownModel: 'Neither the settings nor the catalog has this model. Write others as provider/model.',
};
