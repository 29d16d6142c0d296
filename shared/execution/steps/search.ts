import { querySearchProvider } from '../../adapters/web/search.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { searchStep } from '../../domain/flows/step-types/search.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const searchRunner = defineActingRunner(searchStep, {
  async plan({ config: { provider, query, maxResults = 5 }, render }) {
    const asked = (await render(query)).trim();
    if (!asked) throw new StepError('The query is empty after its templates were rendered');
    return { request: { provider, query: asked, maxResults } };
  },

  perform: async (request, { ports, signal }) => ({
    output: await querySearchProvider({ ...request, ports, signal }),
  }),
});
