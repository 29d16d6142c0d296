import { searchProviders } from '../../shared/domain/model-configs/search-providers.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SearchProviders } from './search-schemas.ts';

export const searchCapableProviders = defineEndpoint({
  id: 'model-configs.search-capable',
  method: 'GET',
  path: '/v1/model-configs/search-capable',
  permission: 'authenticated',
  summary: 'List the providers of web search',
  description: 'Returns all providers that searches can use, configured or not.',
  response: { kind: 'json', bodies: { 200: SearchProviders } },
  needs: { providers: searchProviders },

  async handle(_request, { providers }) {
    const data = await providers();
    return { data, total: data.length };
  },
});

export const handler = toLambda(searchCapableProviders);
