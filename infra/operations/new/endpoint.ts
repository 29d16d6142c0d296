import { endpoints, groups } from '../../../functions/index.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { permissionNames } from '../../../shared/platform/identity/permissions.ts';
import { OperationError } from '../deployment/operation.ts';
import { camelCase, checkName, edits, read, words } from './edits.ts';

const all: readonly AnyEndpoint[] = endpoints;

/**
 * Adds an endpoint beside the one that gets an item of the group: the same item, at a path of its own.
 * @returns the paths of the files.
 */
export async function newEndpoint(group: string, verb: string): Promise<string[]> {
  const sample = samples[group];
  if (!Object.hasOwn(groups, group))
    throw new OperationError(`There is no group ${group}. The groups are ${Object.keys(groups).join(', ')}.`);
  if (!sample)
    throw new OperationError(
      `This command knows no item of the group ${group}. It can add to ${Object.keys(samples).join(', ')}.`,
    );
  checkName('an endpoint', verb);
  if (all.some(({ id }) => id === `${group}.${verb}`))
    throw new OperationError(`The group ${group} has an endpoint ${verb} already. Choose another name.`);
  const get = getterOf(group, verb);

  const { create, insertAfter, replace, write } = edits();
  create(`functions/${group}/${verb}.ts`, get.text);
  create(`test/functions/${group}/${verb}.test.ts`, testOf(group, verb, sample));
  const index = `functions/${group}/index.ts`;
  insertAfter(index, /^import /, `import { ${get.name} } from './${verb}.ts';`);
  replace(index, /(endpoints: \[[^\]]*?),?\s*\]/, `$1, ${get.name}]`);
  const bounds = 'test/functions/response-bounds.test.ts';
  const bound = new RegExp(`^ *'${group}\\.get': (.*),$`, 'm').exec(read(bounds))?.[1];
  if (bound) insertAfter(bounds, new RegExp(`^ *'${group}\\.get': `), `  '${group}.${verb}': ${bound},`);
  return write();
}

/** The declaration of the group's `get`, at another path. */
function getterOf(group: string, verb: string) {
  const path = `functions/${group}/get.ts`;
  const [, before = ''] = /export const (\w+) = defineEndpoint\(/.exec(read(path)) ?? [];
  const declared = all.find(({ id }) => id === `${group}.get`);
  const taken = all.find((each) => each.method === 'GET' && each.path === `${declared?.path}/${verb}`);
  if (taken) throw new OperationError(`${taken.id} has the path ${taken.path} already. Choose another name.`);
  const permission = `${group.toUpperCase().replaceAll('-', '_')}:READ`;
  if (!(permissionNames as readonly string[]).includes(permission))
    throw new OperationError(`There is no permission ${permission}, which the endpoint would need.`);
  const name = camelCase(`${before}-${verb}`);
  const text = read(path)
    .replaceAll(before, name)
    .replace(`id: '${group}.get'`, `id: '${group}.${verb}'`)
    .replace(/path: '([^']+)'/, `path: '$1/${verb}'`)
    .replace("permission: 'authenticated'", `permission: '${permission}'`)
    .replace(/summary: '([^']+)'/, `summary: '$1 (${words(verb)})'`);
  return { name, text };
}

const testOf = (
  group: string,
  verb: string,
  { body, id, status }: EndpointSample,
) => `import { expect, test } from 'vitest';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { newTenant } from '../../support/stack/stack.ts';

const body = ${JSON.stringify(body)};

test('returns the item that get returns', async () => {
  const { call } = await newTenant();
  const created = await call('POST', '/v1/${group}', { body });
  expect(created.status).toBe(${status});
  const path = \`/v1/${group}/\${created.body.${id}}\`;
  const answer = await call('GET', \`\${path}/${verb}\`);
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: (await call('GET', path)).body });
});

test('404 with the same body for an unknown id and for the item of another tenant', async () => {
  const owner = await newTenant();
  const created = await owner.call('POST', '/v1/${group}', { body });
  const known: string = created.body.${id};
  const { call } = await newTenant();
  const foreign = await call('GET', \`/v1/${group}/\${known}/${verb}\`);
  const unknown = await call('GET', \`/v1/${group}/\${known.replace(/[^_]*$/, '0'.repeat(26))}/${verb}\`);
  expect(foreign.status).toBe(404);
  expect([unknown.status, unknown.body]).toEqual([404, foreign.body]);
});

test('403 for a key without the permission', async () => {
  const { tenant, call } = await tenantWithKey(['ANALYTICS:READ']);
  const created = await tenant.call('POST', '/v1/${group}', { body });
  expect((await call('GET', \`/v1/${group}/\${created.body.${id}}/${verb}\`)).status).toBe(403);
});
`;

interface EndpointSample {
  body: object;
  status: number;
  /** Where the response has the id. */
  id: string;
}

/** A request that creates an item, by group. */
const samples: Readonly<Record<string, EndpointSample>> = {
  flows: {
    body: { name: 'A flow', flowSteps: [{ type: 'template', name: 'Hello', config: { template: 'Hello' } }] },
    status: 201,
    id: 'id',
  },
  records: { body: { name: 'Oslo', type: 'city', metadata: {} }, status: 201, id: 'id' },
  agents: { body: { name: 'An agent', config: { model: 'default' } }, status: 201, id: 'id' },
  products: { body: { name: 'A product' }, status: 201, id: 'id' },
  conversations: { body: { title: 'A conversation' }, status: 201, id: 'id' },
  tools: {
    body: {
      name: 'a_tool',
      description: 'Adds one',
      toolType: 'custom',
      parametersSchema: { type: 'object', properties: {} },
      config: { code: 'return 1' },
    },
    status: 200,
    id: 'id',
  },
};
