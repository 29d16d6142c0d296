import * as z from 'zod';
import {
  authorizationLinkScope,
  endAuthorization,
  readLinkHash,
} from '../../shared/domain/mcp-connections/authorization.ts';
import { callbackPath, donePath } from '../../shared/domain/mcp-connections/connection-paths.ts';
import { defineScope } from '../../shared/platform/auth/public-scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { browserIn } from './browser-cookie.ts';

const Parameter = z.string().max(8_000).optional();

export const endMcpAuthorization = defineEndpoint({
  id: 'mcp-authorization.callback',
  method: 'GET',
  path: callbackPath,
  permission: 'public',
  scope: defineScope({
    what: 'Link',
    uses: authorizationLinkScope.uses,
    from: ({ queryStringParameters }, runtime) =>
      authorizationLinkScope(readLinkHash(queryStringParameters?.state ?? ''), runtime),
    limit: { per: 'address', perHour: 1_000, perDay: 10_000 },
  }),
  summary: 'End the authorization of an MCP connection',
  description:
    'Where authorization servers send a person’s browser back: exchanges the code for tokens, and redirects to a page that says how it went. A `state` works once, and only in the browser that opened the link. `iss` is compared with the issuer (RFC 9207).',
  query: z.object({ state: Parameter, code: Parameter, iss: Parameter, error: Parameter }),
  response: { kind: 'redirect', maxAgeSeconds: null },
  errors: [400],
  needs: { end: endAuthorization },

  async handle({ query, header, baseUrl, signal }, { end }) {
    const browser = browserIn(header('cookie'), baseUrl());
    return `${baseUrl()}${donePath}#${await end({ ...query, browser }, signal)}`;
  },
});

export const handler = toLambda(endMcpAuthorization);
