import * as z from 'zod';
import {
  authorizationLinkScope,
  beginAuthorization,
} from '../../shared/domain/mcp-connections/authorization.ts';
import { donePath, openPath } from '../../shared/domain/mcp-connections/connection-paths.ts';
import { hashToken } from '../../shared/domain/mcp-connections/mcp-connection.ts';
import { defineScope } from '../../shared/platform/auth/public-scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { browserCookie } from './browser-cookie.ts';

export const openMcpLink = defineEndpoint({
  id: 'mcp-authorization.open',
  method: 'GET',
  path: openPath,
  permission: 'public',
  scope: defineScope({
    what: 'Link',
    uses: authorizationLinkScope.uses,
    from: ({ queryStringParameters }, runtime) =>
      authorizationLinkScope(hashToken(queryStringParameters?.token ?? ''), runtime),
    limit: { per: 'address', perHour: 1_000, perDay: 10_000 },
  }),
  summary: 'Open the link of an MCP connection',
  description:
    'For a person’s browser: redirects to the authorization server, and sets a cookie without which nobody can end this authorization. Until an authorization has ended, the link can be opened again. A link that is used, replaced, expired or unknown leads to a page that says so.',
  query: z.object({ token: z.string().max(200).optional() }),
  response: { kind: 'redirect', maxAgeSeconds: null },
  errors: [400],
  needs: { begin: beginAuthorization },

  async handle({ query, header, baseUrl }, { begin }) {
    const { browser, cookie } = browserCookie(header('cookie'), baseUrl());
    const location = await begin(query.token ?? '', browser);
    return location === undefined ? `${baseUrl()}${donePath}#expired` : { location, cookie };
  },
});

export const handler = toLambda(openMcpLink);
