import type { Ports, SearchProvider } from '../../../adapters/ports.ts';
import { search } from '../../../adapters/web/search.ts';
import { StepError } from '../../../core/step-error.ts';
import { searchServices, webSearchTool } from '../../../domain/tools/builtin/web-search.ts';
import { defineBuiltinRunner } from '../../tool-support/builtin-runner.ts';

export const webSearch = defineBuiltinRunner(webSearchTool, {
  async run({ args: { query, maxResults = 5, service }, ports, signal }) {
    const asked = query.trim();
    if (!asked) throw new StepError('The query is blank');
    const provider = service ?? (await firstConfigured(ports));
    return { output: await search({ provider, query: asked, maxResults, ports, signal }) };
  },
});

async function firstConfigured({ searchAccount }: Pick<Ports, 'searchAccount'>): Promise<SearchProvider> {
  for (const provider of searchServices) {
    try {
      await searchAccount(provider);
      return provider;
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
    }
  }
  const variables = searchServices.map((service) => `${service.toUpperCase()}_API_KEY`).join(', ');
  throw new StepError(
    `No search service is configured: store a key of one through POST /v1/provider-keys, or let the deployment set one of ${variables}`,
  );
}
