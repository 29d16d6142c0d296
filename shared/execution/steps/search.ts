import { search as searchWeb } from '../../adapters/web/search.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { searchStep } from '../../domain/flows/step-types/search.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const search = defineStepRunner(searchStep, {
  async run({ config: { provider, query, maxResults = 5 }, render, ports, signal }) {
    const asked = (await render(query)).trim();
    if (!asked) throw new StepError('The query is empty after its templates were rendered');
    return { output: await searchWeb({ provider, query: asked, maxResults, ports, signal }) };
  },
});
