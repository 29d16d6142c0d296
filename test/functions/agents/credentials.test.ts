import { expect, test } from 'vitest';
import { agentVersions } from '../../../shared/domain/agents/agent-versions.ts';
import { agentCredentials } from '../../../shared/domain/agents/credentials/agent-credentials.ts';
import { createAgent, publishAgent, updateAgent } from '../../support/agents/agents.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const url = 'https://mcp.example/mcp';
const bearer = { id: 'a', url, auth: { type: 'bearer', token: 'the token of a' } };
const servers = (...mcpServers: object[]) => ({ config: { tools: { mcpServers } } });

/** What a run of the agent gets. */
async function resolved({ tenant }: Tenant, id: string, version?: string) {
  const scope = countingRuntime().scopeOf(tenant);
  const { agent, content } = await agentVersions(scope).toRun(id, { environment: 'production', version });
  const opened = await agentCredentials(scope)(agent.id, content);
  const ofServers = opened.mcpServers.flatMap(({ id, auth }) => {
    const value = auth?.token ?? auth?.password;
    return value === undefined ? [] : [[id, value]];
  });
  const external = opened.externalConfig?.auth?.credentials;
  return {
    ...Object.fromEntries(ofServers),
    ...(external !== undefined && { external }),
    ...(opened.warnings.length > 0 && { warnings: opened.warnings }),
    values: [...opened.values.values()].toSorted(),
  };
}

test('credentials never come back: reads show that they are configured, and runs get them', async () => {
  const tenant = await newTenant();
  const created = await createAgent(tenant, {
    ...servers(
      bearer,
      { id: 'b', url, auth: { type: 'basic', username: 'me', password: 'the password of b' } },
      { id: 'c', url, auth: { type: 'custom_header', headerName: 'X-Own', token: 'the token of c' } },
      { id: 'd', url, auth: { type: 'none', username: 'x' } },
      { id: 'off', url, enabled: false, auth: { type: 'bearer', token: 'the token of off' } },
      { id: 'e', url },
    ),
    externalConfig: {
      endpoint: 'https://agent.example/a2a',
      auth: { type: 'basic', credentials: 'me:the password' },
    },
  });
  const { id, config, externalConfig } = created;
  expect(config.tools.mcpServers.map(({ auth }: { auth: object }) => auth)).toEqual([
    { type: 'bearer', configured: true },
    { type: 'basic', username: 'me', configured: true },
    { type: 'custom_header', headerName: 'X-Own', configured: true },
    { type: 'none', username: 'x' },
    { type: 'bearer', configured: true },
    undefined,
  ]);
  expect(externalConfig.auth).toEqual({ type: 'basic', configured: true });
  expect(created).not.toHaveProperty('credentials');
  const got = await expectStatus(200, tenant.call('GET', `/v1/agents/${id}`));
  expect({ config: got.config, externalConfig: got.externalConfig }).toEqual({ config, externalConfig });
  expect(await resolved(tenant, id)).toEqual({
    a: 'the token of a',
    b: 'the password of b',
    c: 'the token of c',
    external: 'me:the password',
    values: ['me:the password', 'the password of b', 'the token of a', 'the token of c'],
  });
});

test('a config that was read can be sent back: credentials stay unless they are sent or removed', async () => {
  const tenant = await newTenant();
  const { id, config } = await createAgent(tenant, servers(bearer, { ...bearer, id: 'b' }));
  await updateAgent(tenant, id, { config });
  expect(await resolved(tenant, id)).toMatchObject({ a: 'the token of a', b: 'the token of a' });
  const [a, b] = config.tools.mcpServers;
  const rotated = { ...a, auth: { type: 'bearer', token: 'the next token' } };
  await updateAgent(tenant, id, servers(rotated, { ...b, url: `${url}/other/path` }));
  expect(await resolved(tenant, id)).toMatchObject({ a: 'the next token', b: 'the token of a' });
  const removed = { ...a, auth: { type: 'bearer', configured: false } };
  const after = await updateAgent(tenant, id, servers(removed, b));
  expect(after.config.tools.mcpServers[0].auth).toEqual({ type: 'bearer' });
  expect(await resolved(tenant, id)).toEqual({ b: 'the token of a', values: ['the token of a'] });
});

test('a credential does not reach another server: it is dropped when the origin or the kind changes', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant, servers(bearer));
  for (const changed of [
    { url: 'https://evil.example/mcp' },
    { url: 'http://mcp.example/mcp' },
    { url: 'https://mcp.example:8443/mcp' },
    { auth: { type: 'basic', username: 'u', configured: true } },
    { id: 'other' },
  ]) {
    await updateAgent(tenant, id, servers(bearer));
    const { config } = await updateAgent(
      tenant,
      id,
      servers({ ...bearer, auth: { type: 'bearer' }, ...changed }),
    );
    expect(config.tools.mcpServers[0].auth).not.toHaveProperty('configured');
    expect((await resolved(tenant, id)).values).toEqual([]);
    // Nor does it come back with the first address.
    await updateAgent(tenant, id, servers({ ...bearer, auth: { type: 'bearer', configured: true } }));
    expect((await resolved(tenant, id)).values).toEqual([]);
  }
});

test('the credentials of an external agent stay while its address does; null removes them', async () => {
  const tenant = await newTenant();
  const auth = { type: 'bearer', credentials: 'the credentials' };
  const endpoint = 'https://agent.example/a2a';
  const { id } = await createAgent(tenant, { agentType: 'external', externalConfig: { endpoint, auth } });
  const change = async (externalConfig: object) => {
    const changed = await updateAgent(tenant, id, { externalConfig });
    return [changed.externalConfig.auth.configured, (await resolved(tenant, id)).external];
  };
  expect(await change({ endpoint: 'https://agent.example/other', retryCount: 1 })).toEqual([
    true,
    'the credentials',
  ]);
  expect(await change({ endpoint: 'https://evil.example' })).toEqual([undefined, undefined]);
  expect(await change({ auth })).toEqual([true, 'the credentials']);
  expect(await change({ auth: { credentials: null } })).toEqual([undefined, undefined]);
});

test('a published version uses the credential that the agent has now, also of a server that the draft has not', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant, servers(bearer));
  await publishAgent(tenant, id);
  await updateAgent(tenant, id, servers({ ...bearer, auth: { type: 'bearer', token: 'the next token' } }));
  expect((await resolved(tenant, id)).values).toEqual(['the next token']);
  await updateAgent(tenant, id, servers());
  expect((await resolved(tenant, id)).values).toEqual(['the next token']);
  expect((await resolved(tenant, id, 'draft')).values).toEqual([]);
  await publishAgent(tenant, id);
  expect((await resolved(tenant, id)).values).toEqual([]);
});

test('a server whose credential was removed since is left out with a clear warning', async () => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant, servers(bearer));
  const first = await publishAgent(tenant, id);
  await updateAgent(tenant, id, servers());
  await publishAgent(tenant, id);
  await updateAgent(tenant, id, { name: 'Other' });
  const warning =
    'The tools of the MCP server "a" are not available: MCP server a has no credential; send it with PUT /v1/agents/{id}';
  expect(await resolved(tenant, id, first)).toEqual({ values: [], warnings: [warning] });
});

test('references to secrets stay as written, count as uses, and are resolved with their current value', async () => {
  const tenant = await newTenant();
  const secret = await newSecret(tenant, { key: 'MCP_TOKEN', value: 'the first value' });
  const auth = { type: 'bearer', token: '{{secret:MCP_TOKEN}}' };
  const external = {
    endpoint: 'https://agent.example/a2a',
    auth: { type: 'basic', credentials: 'me:{{ secret:MCP_TOKEN }}' },
  };
  const { id, config, externalConfig } = await createAgent(tenant, {
    ...servers({ ...bearer, auth }),
    externalConfig: external,
  });
  expect(config.tools.mcpServers[0].auth).toEqual(auth);
  expect(externalConfig.auth).toEqual(external.auth);
  expect(await resolved(tenant, id)).toEqual({
    a: 'the first value',
    external: 'me:the first value',
    values: ['me:the first value', 'the first value', 'the first value'],
  });
  const path = `/v1/secrets/${secret.id}`;
  await expectStatus(200, tenant.call('PUT', path, { body: { value: 'the second value' } }));
  expect(await resolved(tenant, id)).toMatchObject({ a: 'the second value' });
  const { referenceCount } = await expectStatus(200, tenant.call('DELETE', path));
  expect(referenceCount).toBe(1);
  await expect(resolved(tenant, id)).rejects.toThrow('The secret MCP_TOKEN has no value');
});

test('secrets of the published version count until another is published, those of an agent until it is deleted', async () => {
  const tenant = await newTenant();
  const countOf = async () => {
    const { id } = await newSecret(tenant, { key: 'MCP_TOKEN', value: 'the value of it' });
    return (await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${id}`))).referenceCount;
  };
  const auth = { type: 'bearer', token: '{{secret:MCP_TOKEN}}' };
  const { id } = await createAgent(tenant, servers({ ...bearer, auth }));
  await publishAgent(tenant, id);
  await updateAgent(tenant, id, servers());
  expect(await countOf()).toBe(1);
  await publishAgent(tenant, id);
  expect(await countOf()).toBe(0);
  await updateAgent(tenant, id, servers({ ...bearer, auth }));
  expect(await countOf()).toBe(1);
  await expectStatus(200, tenant.call('DELETE', `/v1/agents/${id}`));
  expect(await countOf()).toBe(0);
});
