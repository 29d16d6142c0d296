import { inject } from 'vitest';
import {
  authorizationLinkScope,
  beginAuthorization,
  endAuthorization,
} from '../../../../shared/domain/mcp-connections/authorization.ts';
import { mcpConnectionStore } from '../../../../shared/domain/mcp-connections/connection-store.ts';
import { connectionTokens } from '../../../../shared/domain/mcp-connections/connection-tokens.ts';
import { hashToken, mcpConnectionEntity } from '../../../../shared/domain/mcp-connections/mcp-connection.ts';
import { CursorQuery } from '../../../../shared/platform/data/lists/pages.ts';
import { allowHost } from '../../../support/servers/loopback.ts';
import { newRealm } from '../../../support/servers/oauth.ts';
import type { Pattern } from './access-pattern.ts';
import { type AccessWorld, sessionPrincipal } from './access-world.ts';

const { signal } = new AbortController();
const asking = { baseUrl: 'http://localhost', signal };
const browser = 'x'.repeat(43);

async function newConnection({ scope, tenant }: AccessWorld) {
  allowHost(new URL(inject('oauthUrl')).host);
  const { url } = await newRealm();
  const given = { url, name: 'A connection', scopes: null };
  return mcpConnectionStore(scope).create(sessionPrincipal(tenant), given, asking);
}

/** What a browser brings back after a person has allowed everything. */
async function callbackOf({ scope }: AccessWorld, token: string) {
  const begun = await beginAuthorization(scope)(token, browser);
  const authorized = await fetch(String(begun), { redirect: 'manual' });
  const { searchParams } = new URL(authorized.headers.get('location') ?? '');
  return { ...Object.fromEntries(searchParams), browser };
}

async function connected(world: AccessWorld) {
  const { connection, token } = await newConnection(world);
  await endAuthorization(world.scope)(await callbackOf(world, token), signal);
  return connection;
}

/** How MCP connections ask the table. */
export const mcpPatterns: Record<string, Pattern> = {
  'Create an MCP connection': {
    commands: 'Query, TransactWriteItems',
    units: [3, 9.5],
    indexes: 'GSI1',
    run: (world) => () => newConnection(world),
  },
  'Get an MCP connection': {
    commands: 'GetItem',
    units: 1,
    run: async (world) => {
      const { connection } = await newConnection(world);
      return () => mcpConnectionStore(world.scope).get(connection.id);
    },
  },
  'List MCP connections': {
    commands: 'Query',
    units: 0.5,
    indexes: 'GSI1',
    run: async (world) => {
      await newConnection(world);
      return () => mcpConnectionStore(world.scope).list(CursorQuery.parse({}));
    },
  },
  'Create a new link for an MCP connection': {
    commands: '2 GetItem, TransactWriteItems',
    units: [4, 11],
    indexes: 'GSI1',
    run: async (world) => {
      const { connection } = await newConnection(world);
      const store = mcpConnectionStore(world.scope);
      return () => store.authorize(sessionPrincipal(world.tenant), connection.id, {}, asking);
    },
  },
  'Open the link of an MCP connection': {
    commands: '3 GetItem, PutItem',
    units: [4, 6],
    run: async (world) => {
      const { token } = await newConnection(world);
      return async () => {
        await authorizationLinkScope(hashToken(token), { scopeOf: () => world.scope });
        await beginAuthorization(world.scope)(token, browser);
      };
    },
  },
  'End the authorization of an MCP connection': {
    commands: '3 GetItem, PutItem, TransactWriteItems',
    units: [7, 17, 16],
    indexes: 'GSI1',
    run: async (world) => {
      const { token } = await newConnection(world);
      const callback = await callbackOf(world, token);
      return () => endAuthorization(world.scope)(callback, signal);
    },
  },
  'Token of an MCP connection': {
    commands: 'GetItem',
    units: 1,
    run: async (world) => {
      const { id, url } = await connected(world);
      return () => connectionTokens(world.scope).open(id, url, signal);
    },
  },
  'Refresh the tokens of an MCP connection': {
    commands: '5 GetItem, 2 PutItem',
    units: [8, 12],
    indexes: 'GSI1',
    run: async (world) => {
      const { id, url } = await connected(world);
      await world.scope.table.modify(mcpConnectionEntity, { id }, (item) => ({
        put: { ...item, expiresAt: new Date().toISOString() },
      }));
      return () => connectionTokens(world.scope).open(id, url, signal);
    },
  },
  'Delete an MCP connection': {
    commands: '2 GetItem, TransactWriteItems',
    units: [3, 9.5, 8.5],
    indexes: 'GSI1',
    run: async (world) => {
      const { connection } = await newConnection(world);
      return () => mcpConnectionStore(world.scope).remove(sessionPrincipal(world.tenant), connection.id);
    },
  },
  'Check the MCP connections that an agent or a tool names': {
    commands: 'BatchGetItem',
    units: 1,
    run: async (world) => {
      const { connection } = await newConnection(world);
      const { assertConnections } = await import(
        '../../../../shared/domain/mcp-connections/named-connections.ts'
      );
      const named = [{ connectionId: connection.id, url: connection.url, path: '' }];
      return () => assertConnections(world.scope.table, named);
    },
  },
};
