import { expect, test } from 'vitest';
import * as z from 'zod';
import { endpoints } from '../../functions/index.ts';
import { forEachConcurrently } from '../../shared/core/concurrency/map-concurrently.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { oneOfEach } from '../support/stack/one-of-each.ts';
import { type Ids, pathParameters } from '../support/stack/path-ids.ts';
import { examplePath } from '../support/stack/paths.ts';
import { newTenant } from '../support/stack/stack.ts';

const all = (endpoints as readonly AnyEndpoint[]).filter(({ permission }) => permission !== 'public');

/** No key of the table is so long. */
const long = `x,${'y'.repeat(2_100)}`;

test('a query parameter that is longer than any key is answered or refused', async () => {
  const tenant = await newTenant();
  const failed: string[] = [];
  const tried = all
    .filter(({ method }) => method === 'GET')
    .flatMap((endpoint) => Object.keys(endpoint.query?.shape ?? {}).map((name) => ({ endpoint, name })));
  expect(tried.length).toBeGreaterThan(100);
  await forEachConcurrently(tried, 8, async ({ endpoint, name }) => {
    const { status } = await tenant.call('GET', `${examplePath(endpoint)}?${name}=${long}`);
    if (status >= 500) failed.push(`${endpoint.id} ${name}: ${status}`);
  });
  expect(failed).toEqual([]);
});

test('an id in a path that is longer than any key is answered or refused', async () => {
  const tenant = await newTenant();
  const failed: string[] = [];
  const tried = all.filter(({ method, path }) => method === 'GET' && path.includes('{'));
  await forEachConcurrently(tried, 8, async ({ id, path }) => {
    const { status } = await tenant.call('GET', path.replace(/\{\w+\}/g, 'y'.repeat(2_100)));
    if (status >= 500) failed.push(`${id}: ${status}`);
  });
  expect(failed).toEqual([]);
});

test('of ids, those that are too long for a key are unknown', async () => {
  const tenant = await newTenant();
  const { status, body } = await tenant.call('GET', `/v1/tools?ids=${'y'.repeat(2_100)}`);
  expect({ status, data: body.data }).toEqual({ status: 200, data: [] });
});

interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  type?: string;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

/** The members of a body in which a schema takes any value, and what holds them: no lists. */
function* openMembers(
  schema: JsonSchema,
  root: JsonSchema,
  path: readonly string[] = [],
): Generator<string[]> {
  const { $ref, properties = {}, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  const named = $ref && root.$defs?.[$ref.split('/').at(-1) ?? ''];
  if (path.length > 3) return;
  for (const each of [named || [], anyOf, oneOf, allOf].flat()) yield* openMembers(each, root, path);
  const isAny = Object.keys(schema).every((name) => ['description', 'examples', 'default'].includes(name));
  const isOpen = schema.type === 'object' && typeof additionalProperties !== 'boolean';
  if (path.length > 0 && (isAny || isOpen)) yield [...path];
  for (const [name, member] of Object.entries(properties)) yield* openMembers(member, root, [...path, name]);
}

const schemaOf = ({ body }: AnyEndpoint): JsonSchema =>
  z.toJSONSchema(body as z.ZodType, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

const exampleOf = ({ examples = [], properties = {} }: JsonSchema): object => {
  const members = Object.entries(properties).flatMap(([name, { examples: of }]) =>
    of ? [[name, of[0]]] : [],
  );
  return (examples[0] as object | undefined) ?? Object.fromEntries(members);
};

/** A copy with numbers that the table refuses in the object at a path. */
function withNumbersAt(body: object, path: readonly string[]): object {
  const copy = structuredClone(body) as Record<string, unknown>;
  let holder = copy;
  for (const name of path) {
    if (typeof holder[name] !== 'object' || holder[name] === null) holder[name] = {};
    holder = holder[name] as Record<string, unknown>;
  }
  Object.assign(holder, { large: 1e157, small: { deep: [1e-308] } });
  return copy;
}

const pathOf = (endpoint: AnyEndpoint, ids: Ids) => {
  const parameters = pathParameters(endpoint, ids);
  return endpoint.path.replace(/\{(\w+)\}/g, (_all, name: string) => parameters[name] ?? '');
};

test('numbers that the table cannot store are refused or stored as text, wherever bodies are open', async () => {
  const tenant = await newTenant();
  const ids = await oneOfEach(tenant);
  const failed: string[] = [];
  const tried = all
    .filter(({ body, bodyType, method }) => body && bodyType === undefined && method !== 'DELETE')
    .flatMap((endpoint) => {
      const schema = schemaOf(endpoint);
      const paths = new Set([...openMembers(schema, schema)].map((path) => path.join('.')));
      return [...paths].map((path) => ({ endpoint, path, example: exampleOf(schema) }));
    });
  expect(tried.length).toBeGreaterThan(60);
  await forEachConcurrently(tried, 6, async ({ endpoint, path, example }) => {
    const body = withNumbersAt(example, path.split('.'));
    const { status } = await tenant.call(endpoint.method, pathOf(endpoint, ids), { body });
    if (status >= 500) failed.push(`${endpoint.id} ${path}: ${status}`);
  });
  expect(failed).toEqual([]);
});

test.each([1e157, -1e157, 1e-308, 2 ** 53])(
  '400 with the path for %d in the settings of a model config',
  async (number) => {
    const { call } = await newTenant();
    const settings = { logitBias: { list: [1, number] } };
    const body = { provider: 'openai', modelId: 'gpt-5-mini', settings };
    const answer = await call('POST', '/v1/model-configs', { body });
    expect(answer).toMatchObject({
      status: 400,
      body: { details: [{ path: 'settings.logitBias.list.1', code: 'NUMBER_OUT_OF_RANGE' }] },
    });
    const fitting = {
      ...body,
      settings: { logitBias: { list: [0, 1e-130, -1e-130, 2 ** 53 - 1, 1 - 2 ** 53, 0.1] } },
    };
    const created = await call('POST', '/v1/model-configs', { body: fitting });
    expect(created).toMatchObject({ status: 201, body: { settings: fitting.settings } });
  },
);
