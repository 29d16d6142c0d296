import { gatewayCorsHeaders } from '../../shared/platform/http/responses/cors.ts';
import type { RefusedMethod } from '../refused-methods.ts';

/** The method of a path that is answered with 405: a mock integration, so no Lambda runs. */
export function refusedMethod({ headers }: RefusedMethod) {
  const all = Object.entries({ ...headers, ...gatewayCorsHeaders });
  const declared = all.map(([name]) => [name, { schema: { type: 'string' } }]);
  return {
    responses: { '405': { description: 'Not allowed', headers: Object.fromEntries(declared) } },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      requestTemplates: { 'application/json': '{"statusCode": 405}' },
      responses: {
        default: {
          statusCode: '405',
          responseParameters: Object.fromEntries(
            all.map(([name, value]) => [`method.response.header.${name}`, `'${value}'`]),
          ),
        },
      },
    },
  };
}
