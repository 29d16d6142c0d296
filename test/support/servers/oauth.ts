import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { createTool } from '../files/tools.ts';
import { expectStatus } from '../flows/flows.ts';
import type { Tenant } from '../stack/stack.ts';
import type { RealmOptions } from './oauth-server.ts';

/** A realm of the shared server: a resource and its authorization server. */
export async function newRealm(options: RealmOptions = {}) {
  const base = `${inject('oauthUrl')}/r-${randomUUID()}`;
  const control = (body: { options?: RealmOptions; forget?: 'tokens' | 'clients' | 'grants' }) =>
    fetch(`${base}/control`, { method: 'POST', body: JSON.stringify(body) });
  await control({ options });
  return {
    base,
    url: `${base}/mcp`,
    control,
    async seen() {
      const response = await fetch(`${base}/seen`);
      return (await response.json()) as {
        seen: { method: string; path: string; authorization: string; body: string }[];
        clients: Record<string, unknown>[];
      };
    },
  };
}
export type TestRealm = Awaited<ReturnType<typeof newRealm>>;

export interface Connection {
  id: string;
  authorizeUrl: string;
  callbackUrl: string;
}

export const createConnection = async (tenant: Tenant, body: { url: string } & Record<string, unknown>) =>
  (await expectStatus(201, tenant.call('POST', '/v1/mcp-connections', { body }))).data as Connection;

export const getConnection = async (tenant: Tenant, id: string) =>
  (await expectStatus(200, tenant.call('GET', `/v1/mcp-connections/${id}`))).data;

/** What a browser remembers of one request for the next one. */
export async function browse(url: string, cookie = '') {
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
  const [set = cookie] = (response.headers.get('set-cookie') ?? cookie).split(';', 1);
  return { status: response.status, location: response.headers.get('location') ?? '', cookie: set };
}

/** Opens a link, and stops before the callback. */
export async function toCallback(authorizeUrl: string) {
  const opened = await browse(authorizeUrl);
  const authorized = await browse(opened.location);
  return { ...opened, authorizationUrl: opened.location, callback: authorized.location };
}

/** Opens a link as a person does who allows everything. @returns how it ended */
export async function authorize(authorizeUrl: string): Promise<string> {
  const { callback, cookie } = await toCallback(authorizeUrl);
  return locationHash(await browse(callback, cookie));
}

export const locationHash = ({ location }: { location: string }) => new URL(location).hash.slice(1);

/** A connection that a person has authorized. */
export async function connected(tenant: Tenant, realm: TestRealm, more: object = {}): Promise<Connection> {
  const connection = await createConnection(tenant, { url: realm.url, ...more });
  const ending = await authorize(connection.authorizeUrl);
  if (ending !== 'connected') throw new Error(`Ended as ${ending}`);
  return connection;
}

/** A tool that says as whom the server knows its caller. */
export const createConnectedTool = (tenant: Tenant, connectionId: string, url: string) =>
  createTool(tenant, {
    toolType: 'mcp',
    name: 'Who',
    parametersSchema: { type: 'object' },
    config: { url, toolName: 'whoami', auth: { type: 'oauth', connectionId } },
  });

/** Runs it. */
export const execute = async (tenant: Tenant, toolId: string) =>
  expectStatus(200, tenant.call('POST', `/v1/tools/${toolId}/execute`, { body: { parameters: {} } }));
