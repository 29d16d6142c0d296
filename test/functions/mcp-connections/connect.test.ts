import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows.ts';
import { authorize, connected, connectionOf, createConnection, newRealm } from '../../support/oauth.ts';
import { newTenant, type Tenant } from '../../support/stack.ts';
import { createTool } from '../../support/tools.ts';

export const toolOf = (tenant: Tenant, connectionId: string, url: string) =>
  createTool(tenant, {
    toolType: 'mcp',
    name: 'Who',
    parametersSchema: { type: 'object' },
    config: { url, toolName: 'whoami', auth: { type: 'oauth', connectionId } },
  });

test('a person connects a server, and a tool uses the token, which nobody sees', async () => {
  const tenant = await newTenant();
  const realm = await newRealm();
  const created = await createConnection(tenant, { url: realm.url });
  expect(created).toMatchObject({ status: 'pending', url: realm.url, scopes: null });
  expect(await authorize(created.authorizeUrl)).toBe('connected');
  const shown = await connectionOf(tenant, created.id);
  expect(shown).toMatchObject({
    status: 'connected',
    grantedScopes: ['read'],
    authorizeUrl: null,
    error: null,
  });

  const { id } = await toolOf(tenant, created.id, realm.url);
  const ran = await expectStatus(
    200,
    tenant.call('POST', `/v1/tools/${id}/execute`, { body: { parameters: {} } }),
  );
  expect(ran).toMatchObject({
    status: 'success',
    result: `scope read; token [secret:${created.id}.accessToken]`,
  });
  const { clients } = await realm.seen();
  expect(clients).toHaveLength(1);
});
