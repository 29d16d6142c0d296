import { searchProviders } from '../../shared/domain/model-configs/search-providers.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SearchProviders } from './search-schemas.ts';

export const searchConfiguredProviders = defineEndpoint({
  id: 'model-configs.search-configured',
  method: 'GET',
  path: '/v1/model-configs/search-configured',
  permission: 'authenticated',
  summary: 'List the configured providers of web search',
  description: 'Returns the providers that the tenant or the deployment has a key for.',
  response: { kind: 'json', bodies: { 200: SearchProviders } },
  needs: { providers: searchProviders },

  async handle(_request, { providers }) {
    const data = (await providers()).filter(({ keyStatus }) => keyStatus !== 'needs_setup');
    return { data, total: data.length };
  },
});

export const handler = toLambda(searchConfiguredProviders);
