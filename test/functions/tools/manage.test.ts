import { expect, test } from 'vitest';
import { newSecret } from '../../support/data/secrets.ts';
import { createTool, definition } from '../../support/files/tools.ts';
import { expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('a tool is created, read, changed and deleted', async () => {
  const { call, userId } = await newTenant();
  const { validation, ...tool } = await createTool({ call });
  expect(validation).toEqual({ warnings: [] });
  expect(tool).toEqual({
    ...definition,
    id: expect.stringMatching(/^tool_/),
    userId,
    organizationId: null,
    isActive: true,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(await expectStatus(200, call('GET', `/v1/tools/${tool.id}`))).toEqual(tool);
  const changes = { name: 'Twice', description: 'x'.repeat(5_000), isActive: false };
  const changed = await expectStatus(200, call('PUT', `/v1/tools/${tool.id}`, { body: changes }));
  expect(changed).toEqual({
    ...tool,
    ...changes,
    updatedAt: expect.any(String),
    validation: { warnings: [] },
  });
  const gone = await expectStatus(200, call('DELETE', `/v1/tools/${tool.id}`));
  expect(gone).toEqual({ deletedId: tool.id, success: true });
  for (const method of ['GET', 'DELETE']) await expectStatus(404, call(method, `/v1/tools/${tool.id}`));
  await expectStatus(404, call('PUT', `/v1/tools/${tool.id}`, { body: changes }));
});

test.each<[string, object, string, string]>([
  ['an unknown type', { toolType: 'magic' }, 'toolType', 'INVALID_VALUE'],
  ['a config of another type', { toolType: 'external' }, 'config.url', 'MISSING_REQUIRED_FIELD'],
  ['an unknown member', { config: { code: '1', more: 1 } }, 'config.more', 'UNKNOWN_MEMBER'],
  ['a script that does not parse', { config: { code: 'return (' } }, 'config.code', 'INVALID_SCRIPT'],
  [
    'a schema that is not valid',
    { parametersSchema: { properties: { n: { type: 'text' } } } },
    'parametersSchema.properties.n.type',
    'INVALID_SCHEMA',
  ],
  [
    'a schema of another type',
    { parametersSchema: { type: 'array' } },
    'parametersSchema.type',
    'INVALID_SCHEMA',
  ],
  [
    'a schema that is too large',
    { parametersSchema: { title: 'x'.repeat(70_000) } },
    'parametersSchema',
    'INVALID_SCHEMA',
  ],
  [
    'a template that does not parse',
    { toolType: 'external', config: { url: 'https://a.example/{{ x' } },
    'config.url',
    'INVALID_TEMPLATE',
  ],
  [
    'a secret outside of a template',
    { toolType: 'graphql', config: { url: 'https://a.example', query: '{ a(k: "{{secret:KEY}}") }' } },
    'config.query',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a secret and a host from the arguments',
    { toolType: 'external', config: { url: 'https://{{ host }}/', headers: { k: '{{secret:KEY}}' } } },
    'config.url',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a config that is too large',
    {
      toolType: 'external',
      config: { url: 'https://a.example', method: 'POST', body: ['x'.repeat(60_000), 'x'.repeat(60_000)] },
    },
    'config',
    'TOO_LARGE',
  ],
  ['a blank name', { name: ' ' }, 'name', 'INVALID_FORMAT'],
  ['a long description', { description: 'x'.repeat(501) }, 'description', 'TOO_BIG'],
])('400 with the path for %s', async (_name, changes, path, code) => {
  const { call } = await newTenant();
  const { details } = await expectStatus(
    400,
    call('POST', '/v1/tools', { body: { ...definition, ...changes } }),
  );
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
  expect((await expectStatus(200, call('GET', '/v1/tools'))).data).toEqual([]);
});

test('PUT checks a config against the type of the stored tool, and keeps the tool if it does not fit', async () => {
  const { call } = await newTenant();
  const { id, config } = await createTool({ call });
  const put = (body: object) => call('PUT', `/v1/tools/${id}`, { body });
  const { details } = await expectStatus(400, put({ config: { url: 'https://a.example' } }));
  expect(details[0]).toMatchObject({ path: expect.stringMatching(/^config\./) });
  await expectStatus(400, put({ toolType: 'local' }));
  await expectStatus(400, put({ parametersSchema: { $ref: 'https://a.example' } }));
  expect((await expectStatus(200, call('GET', `/v1/tools/${id}`))).config).toEqual(config);
});

test('warnings name unused parameters, undefined variables, hosts from arguments and secrets without values', async () => {
  const tenant = await newTenant();
  await newSecret(tenant, { key: 'KNOWN', value: 'a known value' });
  const codesOf = async (changes: object) => {
    const { validation } = await createTool(tenant, changes);
    return validation.warnings.map(
      ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
    );
  };
  const parametersSchema = { type: 'object', properties: { used: {}, unused: {}, input: {} } };
  const url = 'https://a.example/{{ used }}/{{ nobody }}?key={{secret:KNOWN}}{{secret:MISSING}}';
  expect(await codesOf({ toolType: 'external', config: { url }, parametersSchema })).toEqual([
    'RESERVED_PARAMETER The config cannot read the parameter input by its name',
    'UNUSED_PARAMETER The config does not use the parameter unused',
    'UNDEFINED_VARIABLE The config reads nobody, which is no parameter',
    'UNKNOWN_SECRET The secret MISSING has no value',
  ]);
  const open = { toolType: 'external', config: { url: '{{ url }}' }, parametersSchema: {} };
  expect(await codesOf(open)).toEqual([
    'HOST_FROM_ARGUMENTS The arguments decide to which server the tool sends its request',
    'UNDEFINED_VARIABLE The config reads url, which is no parameter',
  ]);
  const whole = { toolType: 'custom', config: { code: 'return Object.keys(input)' }, parametersSchema };
  expect(await codesOf(whole)).toHaveLength(1);
  const graphql = {
    toolType: 'graphql',
    config: { url: 'https://a.example', query: 'query($unused: Int) { a }' },
  };
  expect(await codesOf({ ...graphql, parametersSchema })).toHaveLength(1);
});

test('warnings of a flow tool: the flow does not exist, or is not published', async () => {
  const tenant = await newTenant();
  const flow = await expectStatus(201, tenant.call('POST', '/v1/flows', { body: { name: 'Draft' } }));
  const warningsFor = async (flowId: string) => {
    const { validation } = await createTool(tenant, { toolType: 'flow', config: { flowId } });
    return validation.warnings.map(({ code }: { code: string }) => code);
  };
  expect(await warningsFor(`flow_${'0'.repeat(26)}`)).toEqual(['UNKNOWN_FLOW']);
  expect(await warningsFor(flow.id)).toEqual(['FLOW_NOT_PUBLISHED']);
  expect(await warningsFor((await publishedFlow(tenant)).id)).toEqual([]);
});

test('the secrets of a tool’s config count as references until it names them no more, or is deleted', async () => {
  const tenant = await newTenant();
  const config = { url: 'https://a.example/{{secret:ONE}}', headers: { k: '{{secret:TWO}}' } };
  const { id } = await createTool(tenant, { toolType: 'external', config });
  const script = await createTool(tenant, { config: { code: 'secrets.TWO' } });
  const countOf = async (key: string) => {
    const secret = await newSecret(tenant, { key, value: 'the value of it' });
    return (await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${secret.id}`))).referenceCount;
  };
  expect([await countOf('ONE'), await countOf('TWO')]).toEqual([1, 2]);
  await expectStatus(200, tenant.call('PUT', `/v1/tools/${id}`, { body: { config: { url: config.url } } }));
  await expectStatus(200, tenant.call('DELETE', `/v1/tools/${script.id}`));
  expect([await countOf('ONE'), await countOf('TWO')]).toEqual([1, 0]);
});

test('concurrent changes of different members keep both', async () => {
  const { call } = await newTenant();
  const { id } = await createTool({ call });
  const bodies = [{ name: 'Other' }, { isActive: false }, { description: 'New' }];
  await Promise.all(bodies.map((body) => expectStatus(200, call('PUT', `/v1/tools/${id}`, { body }))));
  expect(await expectStatus(200, call('GET', `/v1/tools/${id}`))).toMatchObject(Object.assign({}, ...bodies));
});
