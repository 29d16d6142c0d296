import * as z from 'zod';
import { mcpConnectionStore } from '../../shared/domain/mcp-connections/connection-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConnectionResponse, CreateConnectionBody, toLinkedResponse } from './schemas.ts';

export const createMcpConnection = defineEndpoint({
  id: 'mcp-connections.create',
  method: 'POST',
  path: '/v1/mcp-connections',
  permission: 'SECRETS:WRITE',
  summary: 'Create an MCP connection',
  description: `Finds out how to authorize at the MCP server: the metadata of the resource (RFC 9728) and of its authorization server (RFC 8414, OpenID Connect discovery). The service identifies itself by a client id metadata document where the server supports that, else by dynamic registration (RFC 7591), or as the client of \`clientId\`.

\`authorizeUrl\` is for a person, who signs in at the authorization server and allows the access. It is valid for 24 hours and for one authorization, and it is not returned again. Whoever has it can connect an account, so share it carefully.

Agents and tools use the connection by \`auth: {type: "oauth", connectionId}\`. 422 if the server offers no OAuth, or none that is safe: it must support PKCE with S256, and https. 502 if it cannot be reached. 409 if the tenant has 200 connections.`,
  body: CreateConnectionBody,
  response: { kind: 'json', bodies: { 201: z.object({ data: ConnectionResponse }) } },
  shownOnce: ['data.authorizeUrl'],
  errors: [400, 409, 422, 502],
  needs: { connections: mcpConnectionStore },

  async handle({ body, principal, baseUrl, signal }, { connections }) {
    const { name = new URL(body.url).host.slice(0, 100), scopes = null, ...draft } = body;
    const asking = { baseUrl: baseUrl(), signal };
    const linked = await connections.create(principal, { ...draft, name, scopes }, asking);
    return { data: toLinkedResponse(linked, asking.baseUrl) };
  },
});

export const handler = toLambda(createMcpConnection);
