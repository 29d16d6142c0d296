import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { sandbox } from '../../../../shared/adapters/sandbox/sandbox.ts';
import { toChunks } from '../../../../shared/core/chunks.ts';
import { agentEditor } from '../../../../shared/domain/agents/agent-editor.ts';
import { agentStore } from '../../../../shared/domain/agents/agent-store.ts';
import { agentVersions } from '../../../../shared/domain/agents/agent-versions.ts';
import {
  agentCredentialEntity,
  agentCredentialsPartition,
} from '../../../../shared/domain/agents/config/agent.ts';
import { agentCredentials } from '../../../../shared/domain/agents/credentials/agent-credentials.ts';
import { agentRemover } from '../../../../shared/domain/agents/remove-agent.ts';
import { tenantLimits } from '../../../../shared/domain/tenant-limits.ts';
import { composeSecretName, secretsManager } from '../../../../shared/platform/aws/secrets-manager.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';
import { sessionPrincipal } from '../../platform/data/access-world.ts';
import { newTenantName } from '../../platform/data/notes.ts';

const servers = (...tokens: (string | undefined)[]) => ({
  config: {
    tools: {
      mcpServers: tokens.map((token, n) => ({
        id: `s${n}`,
        url: 'https://mcp.example',
        auth: { type: 'bearer', ...(token !== undefined && { token }) },
      })),
    },
  },
});

function world() {
  const tenant = newTenantName();
  const scope = countingRuntime().scopeOf(tenant);
  const [editor, agents] = [agentEditor(scope), agentStore(scope)];
  const principal = sessionPrincipal(tenant);
  /** Whether Secrets Manager still gives out a value. */
  const isThere = (id: string) =>
    secretsManager()
      .send(new GetSecretValueCommand({ SecretId: composeSecretName(tenant, 'agents', id) }))
      .then(() => true)
      .catch(() => false);
  return {
    scope,
    editor,
    agents,
    principal,
    isThere,
    create: async (...tokens: string[]) =>
      (await editor.create(principal, { name: 'a', ...servers(...tokens) }, sandbox(scope))).agent,
    update: async (id: string, changes: object) =>
      (await editor.update(principal, id, changes, sandbox(scope))).agent,
  };
}

test('replaced and removed values are deleted from Secrets Manager, others stay', async () => {
  const { create, update, isThere } = world();
  const { id, credentials } = await create('the first token', 'the second token');
  const idOf = (list: typeof credentials, server: string) =>
    list.find(({ name }) => name === `mcp:${server}:token https://mcp.example`)?.id;
  const [first, second] = [idOf(credentials, 's0'), idOf(credentials, 's1')];
  const after = await update(id, servers('a new token', undefined));
  expect(after.credentials).toHaveLength(2);
  expect(idOf(after.credentials, 's0')).not.toBe(first);
  expect(idOf(after.credentials, 's1')).toBe(second);
  expect([await isThere(first ?? ''), await isThere(second ?? '')]).toEqual([false, true]);
  expect((await update(id, servers())).credentials).toEqual([]);
  expect(await isThere(second ?? '')).toBe(false);
});

test('a change that fails keeps the old value and deletes the new one', async () => {
  const { create, editor, principal, scope, agents, isThere } = world();
  const { id, credentials } = await create('the first token');
  const made: string[] = [];
  const failing = agentEditor({
    ...scope,
    newId: (prefix) => {
      const made_ = scope.newId(prefix);
      if (prefix === 'cred') made.push(made_);
      return made_;
    },
  });
  const tooLarge = { ...servers('a new token'), description: 'x' };
  const config = { ...tooLarge.config, systemPrompt: '漢'.repeat(100_000) };
  await expect(failing.update(principal, id, { config }, sandbox(scope))).rejects.toMatchObject({
    code: 'VALIDATION',
  });
  expect(made).toHaveLength(1);
  expect([await isThere(made[0] ?? ''), await isThere(credentials[0]?.id ?? '')]).toEqual([false, true]);
  expect((await agents.find(id)).credentials).toEqual(credentials);
  await expect(
    editor.update(principal, 'agent_none', servers('x'.repeat(8)), sandbox(scope)),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('concurrent changes of two credentials: one server list wins, and no value is left over', async () => {
  const { create, update, agents, scope, isThere } = world();
  const { id } = await create('the first token');
  const all = await Promise.all(
    ['one token', 'two token', 'three token'].map((token) => update(id, servers(token))),
  );
  const agent = await agents.find(id);
  const { values } = await agentCredentials(scope)(id, agent);
  expect(['one token', 'two token', 'three token']).toContain([...values.values()][0]);
  const ids = new Set(all.flatMap(({ credentials }) => credentials.map((credential) => credential.id)));
  const left = await Promise.all([...ids].map(isThere));
  expect(left.filter(Boolean)).toHaveLength(1);
});

test('removing an agent deletes its values, also those that only its published version uses', async () => {
  const { create, update, scope, isThere } = world();
  const { id, credentials } = await create('the first token');
  await agentVersions(scope).publishCurrent(id);
  const { credentials: still } = await update(id, servers());
  expect(still).toEqual(credentials);
  await agentRemover(scope)(id);
  expect(await isThere(credentials[0]?.id ?? '')).toBe(false);
});

test('an inline agent’s plaintexts are resolved as they are, and known to the redactor', async () => {
  const { scope } = world();
  const { config } = servers('the inline token') as { config: never };
  const { mcpServers, values } = await agentCredentials(scope)(null, { config, externalConfig: null });
  expect([mcpServers[0]?.auth?.token, [...values.values()]]).toEqual([
    'the inline token',
    ['the inline token'],
  ]);
});

test('if Secrets Manager fails in the middle, the values before are deleted and nothing is saved', async () => {
  const { scope, agents, isThere, principal } = world();
  const made: string[] = [];
  const counting = {
    ...scope,
    newId: ((prefix) => {
      const id = scope.newId(prefix);
      if (prefix === 'cred') made.push(id);
      return id;
    }) as typeof scope.newId,
  };
  const stack = secretsManager().middlewareStack;
  stack.add(
    (next) => async (sent) => {
      const { SecretString } = sent.input as { SecretString?: string };
      if (SecretString === 'the token that fails') throw new Error('Secrets Manager is down');
      return next(sent);
    },
    { step: 'initialize', name: 'failOne' },
  );
  try {
    const given = { name: 'a', ...servers('the first token', 'the token that fails') };
    await expect(agentEditor(counting).create(principal, given, sandbox(scope))).rejects.toThrow('is down');
  } finally {
    stack.remove('failOne');
  }
  expect(await Promise.all(made.map(isThere))).toEqual([false, false]);
  const query = { limit: 10 } as Parameters<typeof agents.list>[0];
  expect((await agents.list(query)).agents).toEqual([]);
});

test('409 for the 501st credential of a tenant; rotating one is possible', async () => {
  const { create, update, scope } = world();
  const { id } = await create('the first token');
  const ids = Array.from({ length: tenantLimits['credentials of agents'] - 1 }, () => scope.newId('cred'));
  for (const chunk of toChunks(ids, 100)) {
    await scope.table.commit(
      chunk.map((one) => scope.table.writes.insert(agentCredentialEntity, { id: one, agentId: 'a' })),
    );
  }
  await expect(create('one token more')).rejects.toMatchObject({
    code: 'CONFLICT',
    details: [{ code: 'LIMIT_REACHED' }],
  });
  await update(id, servers('the next token'));
  await update(id, servers());
  await create('one token more');
});

test('a credential is listed while its value exists', async () => {
  const { create, update, scope } = world();
  const listed = async () =>
    (await scope.table.queryAll({ partition: agentCredentialsPartition })).map(({ SK }) => SK);
  const { id, credentials } = await create('the first token', 'the second token');
  expect((await listed()).toSorted()).toEqual(credentials.map((one) => one.id).toSorted());
  const after = await update(id, servers('a new token'));
  expect(await listed()).toEqual(after.credentials.map((one) => one.id));
  await agentRemover(scope)(id);
  expect(await listed()).toEqual([]);
});
