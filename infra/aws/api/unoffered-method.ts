import { gatewayCorsHeaders } from '../../../shared/platform/http/responses/cors.ts';
import type { UnofferedPath } from '../../unoffered-paths.ts';

/** A mock integration takes a body only in media types that it has a template for. */
const mediaTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'multipart/form-data',
  'text/plain',
];

/** Inside of a text of JSON, which knows no escaped apostrophe. */
const escaped = (name: string) => `$util.escapeJavaScript(${name}).replaceAll("\\\\'", "'")`;

/** All methods of a path that no other has: a mock integration, so no Lambda runs. */
export function unofferedMethod({ response: { statusCode, headers, body } }: UnofferedPath) {
  const status = String(statusCode);
  const all = Object.entries({ ...headers, ...gatewayCorsHeaders });
  return {
    responses: {
      [status]: {
        description: 'Not offered',
        headers: Object.fromEntries(all.map(([name]) => [name, { schema: { type: 'string' } }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      contentHandling: 'CONVERT_TO_TEXT',
      passthroughBehavior: 'never',
      requestTemplates: Object.fromEntries(mediaTypes.map((type) => [type, `{"statusCode": ${status}}`])),
      responses: {
        default: {
          statusCode: status,
          responseParameters: Object.fromEntries(
            all.map(([name, value]) => [`method.response.header.${name}`, `'${value}'`]),
          ),
          responseTemplates: {
            'application/json': JSON.stringify(body).replace(/\$context\.\w+/g, escaped),
          },
        },
      },
    },
  };
}
