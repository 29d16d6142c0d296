import { allowOrigin } from '../../shared/platform/http/responses/cors.ts';
import type { Preflight } from '../preflights.ts';

const allowed = 'Access-Control-Allow-Origin';

/** The OPTIONS method of a path: a mock integration, so no Lambda runs. */
export function preflightMethod({ headers, origins }: Preflight) {
  const constant = { ...headers, ...allowOrigin(undefined, origins) };
  const names = [...new Set([...Object.keys(constant), allowed])];
  return {
    responses: {
      '204': {
        description: 'The answer to a preflight request',
        headers: Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      requestTemplates: { 'application/json': '{"statusCode": 204}' },
      responses: {
        default: {
          statusCode: '204',
          responseParameters: Object.fromEntries(
            Object.entries(constant).map(([name, value]) => [`method.response.header.${name}`, `'${value}'`]),
          ),
          ...(!(allowed in constant) && {
            responseTemplates: { 'application/json': comparison(origins) },
          }),
        },
      },
    },
  };
}

/**
 * A template that compares the origin, because a constant header can name only one. Header names reach it as they were
 * sent: in lower case with HTTP/2.
 */
function comparison(origins: readonly string[]): string {
  const isAllowed = origins.map((origin) => `$origin == "${origin}"`).join(' || ');
  return `#set($headers = $input.params().header)
#set($origin = $headers.get("Origin"))
#if(!$origin)#set($origin = $headers.get("origin"))#end
#if(${isAllowed})#set($context.responseOverride.header.${allowed} = $origin)#end`;
}
