import { countText, plural } from './language.ts';

export const forecastTexts = {
  forecast: 'Forecast',
  noForecast: 'There is no forecast for this run.',
  expected: 'Expected cost',
  atMost: 'At most',
  noLimit: 'no limit known',
  noPrice: 'no price known',
  duration: 'Duration',
  saved: 'Saved',
  reused: (results: number) => plural(results, { one: '# result reused', other: '# results reused' }),
  basedOn: (sampled: number, records: number) =>
    plural(sampled, {
      one: `From # record of ${countText(records)}. Nothing was called, and nothing stored.`,
      other: `From # records of ${countText(records)}. Nothing was called, and nothing stored.`,
    }),
  ofMonth: 'Forecast for 30 days',
  costOfMonth: (runs: number, cost: string) =>
    plural(runs, { one: `# run, about ${cost}`, other: `# runs, about ${cost}` }),
  steps: 'Steps that cost',
  step: 'Step',
  calls: 'Calls',
  reusedResults: 'Reused',
  basis: 'Basis',
  bases: { history: 'earlier results', bounds: 'limits of the model', none: 'nothing known' },
};
