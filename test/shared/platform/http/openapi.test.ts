import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { groups } from '../../../../functions/index.ts';
import { stepTypes } from '../../../../shared/domain/flows/step-types/index.ts';
import { openApi } from '../../../../shared/platform/http/openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
const document: any = openApi(groups);
const { schemas } = document.components;

test('every step type has its own schema with a summary, config and output', () => {
  const entries = Object.entries(schemas).filter(([name]) => name.endsWith('Step'));
  const byType = new Map(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    entries.map(([, schema]: [string, any]) => [schema.properties.type.const, schema] as const),
  );
  expect([...byType.keys()].toSorted()).toEqual(Object.keys(stepTypes).toSorted());
  for (const [type, { summary, permission }] of Object.entries(stepTypes)) {
    const inline = permission ? `. In an inline flow it also requires \`${permission}\`` : '';
    const { description, properties } = byType.get(type) ?? {};
    expect(description).toContain(`${summary}${inline}. Its output: \``);
    expect(Object.keys(properties.config.properties).length, type).toBeGreaterThan(0);
  }
});

test('a streaming endpoint lists JSON first, which all generators support, and then its events', () => {
  const { content } = document.paths['/v1/dispatch'].post.responses[200];
  expect(Object.keys(content)).toEqual(['application/json', 'text/event-stream']);
  expect(content['text/event-stream'].schema).toEqual({ $ref: '#/components/schemas/StreamEventMessage' });
  expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/AnyRunResult' });
});

test('every schema reference resolves', () => {
  const references = JSON.stringify(document).match(/#\/components\/schemas\/\w+/g) ?? [];
  expect(references.length).toBeGreaterThan(100);
  for (const reference of references) expect(schemas).toHaveProperty([reference.split('/')[3] ?? '']);
});

/** The components and every schema in them, with its place. */
function* schemasIn(
  value: unknown,
  place = '',
): Generator<{ place: string; schema: Record<string, unknown> }> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { place, schema: value as Record<string, unknown> };
  for (const [key, member] of Object.entries(value)) {
    if (!['default', 'example', 'examples', 'const', 'enum'].includes(key))
      yield* schemasIn(member, `${place}/${key}`);
  }
}

test('clients can be generated: defaults fit, nothing is only null, and no two types get one name', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const { place, schema } of schemasIn({ paths: document.paths, components: document.components })) {
    const { default: given, anyOf, oneOf, $ref, type } = schema;
    if (given !== undefined && typeof type === 'string' && !JSON.stringify(schema).includes('$ref'))
      expect([place, ajv.validate(schema, given)]).toEqual([place, true]);
    if (given !== undefined) expect([place, anyOf ?? oneOf ?? $ref]).toEqual([place, undefined]);
    if (!/(anyOf|oneOf)\/\d+$/.test(place)) expect([place, type]).not.toEqual([place, 'null']);
    if (typeof given === 'object') {
      for (const member of (schema.required ?? []) as string[])
        expect(Object.keys(given ?? {})).toContain(member);
    }
  }
  const components = document.components.schemas as Record<string, { properties?: Record<string, unknown> }>;
  for (const [name, { properties = {} }] of Object.entries(components)) {
    for (const [property, schema] of Object.entries(properties)) {
      const generated = `${name}${property.charAt(0).toUpperCase()}${property.slice(1)}`;
      const isSame = JSON.stringify(schema).includes(`/schemas/${generated}"`);
      expect([generated, generated in components && !isSame]).toEqual([generated, false]);
    }
  }
});

const spelled = (name: string) => name.replace(/[^a-z0-9*]/gi, '').toLowerCase();

test('openapi-generator can name what it makes: constants, components and alternatives', () => {
  const problems: string[] = [];
  for (const { place, schema } of schemasIn({ paths: document.paths, components: document.components })) {
    if (/\/(properties|patternProperties)$/.test(place)) continue;
    const { const: constant, enum: members = [constant], anyOf, oneOf } = schema as Named;
    const texts = members.filter((member) => typeof member === 'string');
    // An enum of TypeScript names its members by the letters and signs of ASCII.
    if (texts.some((text) => !/[!-~]/.test(text))) problems.push(`${place}: a constant without a name`);
    if (new Set(texts.map(spelled)).size < texts.length) problems.push(`${place}: constants of one name`);
    // Go names a free object beside something else after its type: `map[string]*interface{}`.
    const others = (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null');
    const isFree = ({ type, properties = {} }: Named) =>
      type === 'object' && Object.keys(properties).length < 1;
    if (others.length > 1 && others.some(isFree)) problems.push(`${place}: an alternative without a name`);
  }
  const names = Object.keys(schemas);
  // A struct of Go has a constructor of its name with `New`.
  for (const name of names)
    if (names.includes(`New${name}`)) problems.push(`New${name} makes a ${name} in Go`);
  if (new Set(names.map(spelled)).size < names.length) problems.push('components of one name');
  expect(problems).toEqual([]);
});

interface Named {
  const?: unknown;
  enum?: unknown[];
  type?: unknown;
  properties?: object;
  anyOf?: Named[];
  oneOf?: Named[];
}

test('what contains itself does so in an object with members: a type of Go cannot be its own list or alternative', () => {
  const within = (schema: unknown): string[] => {
    if (typeof schema !== 'object' || schema === null || 'properties' in schema) return [];
    const { $ref } = schema as { $ref?: string };
    return $ref ? [$ref.split('/').at(-1) ?? ''] : Object.values(schema).flatMap(within);
  };
  const reaches = (name: string, from: string, seen: string[] = []): boolean =>
    within(schemas[from]).some(
      (next) => next === name || (!seen.includes(next) && reaches(name, next, [...seen, next])),
    );
  expect(Object.keys(schemas).filter((name) => reaches(name, name))).toEqual([]);
});

interface Parameter {
  name: string;
  in: string;
  schema: Record<string, unknown>;
  description?: string;
}

const parametersOf = (route: string): Parameter[] => {
  const [method = '', path = ''] = route.split(' ');
  return document.paths[path][method].parameters;
};
const parameter = (route: string, name: string) => parametersOf(route).find((each) => each.name === name);

test('query parameters have the type that their text stands for', () => {
  expect(parameter('get /v1/runs', 'limit')?.schema).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 20,
  });
  expect(parameter('get /v1/flows', 'limit')?.schema).toMatchObject({ type: 'integer', default: 50 });
  expect(parameter('get /v1/runs', 'root')?.schema).toEqual({ type: 'boolean' });
  expect(parameter('get /v1/feedback', 'rating')?.schema).toEqual({ type: 'integer', enum: [-1, 0, 1] });
  expect(parameter('get /v1/run-metrics', 'kind')).toMatchObject({
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { enum: ['batch', 'flow', 'agent', 'tool', 'record'] } },
  });
  for (const [path, operations] of Object.entries<Record<string, { parameters?: Parameter[] }>>(
    document.paths,
  )) {
    for (const { name, schema } of Object.values(operations).flatMap(({ parameters = [] }) => parameters)) {
      expect([path, name, schema.pattern]).not.toEqual([path, name, '^[0-9]+$']);
      expect([path, name, schema.enum]).not.toEqual([path, name, ['true', 'false']]);
    }
  }
});

test('every filter of runs, feedback and metrics that its name does not explain has a description', () => {
  const obvious = ['flowId', 'agentId', 'productId', 'surfaceId'];
  for (const route of ['get /v1/runs', 'get /v1/feedback', 'get /v1/run-metrics']) {
    const silent = parametersOf(route).filter(({ description }) => !description);
    expect(obvious).toEqual(expect.arrayContaining(silent.map(({ name }) => name)));
  }
});

test('the members of runs, spans and feedback that their names do not explain have descriptions', () => {
  const obvious = {
    Run: ['flowVersionId'],
    TraceSpan: ['name', 'status'],
    RunFeedback: ['id', 'comment'],
  };
  for (const [name, members] of Object.entries(obvious)) {
    const properties = Object.entries<{ description?: string }>(schemas[name].properties);
    expect(properties.filter(([, { description }]) => !description).map(([member]) => member)).toEqual(
      members,
    );
  }
});

test('the starts of runs name the headers that they take', () => {
  const headersOf = (route: string) =>
    parametersOf(route)
      .filter((each) => each.in === 'header')
      .map(({ name }) => name);
  const starts = [
    '/v1/dispatch',
    '/v1/agents/{id}/execute',
    '/v1/batch/flow',
    '/v1/flows/{id}/run-on-record-type',
    '/v1/tools/{id}/execute',
  ];
  for (const path of starts) expect(headersOf(`post ${path}`)).toEqual(['traceparent', 'Idempotency-Key']);
  const surface = 'post /v1/products/{id}/surfaces/{surfaceId}/run/{endpointSlug}';
  expect(headersOf(surface)).toEqual(['traceparent', 'X-Run-Tags', 'X-Session-Id', 'Idempotency-Key']);
});

test('an operation that takes an idempotency key names it, its errors and the header of a repetition', () => {
  const { responses } = document.paths['/v1/flows'].post;
  expect(parametersOf('post /v1/flows').map(({ name }) => name)).toEqual(['Idempotency-Key']);
  expect(Object.keys(responses['201'].headers)).toContain('Idempotent-Replayed');
  expect(responses['409'].description).toContain('IDEMPOTENCY_KEY_IN_USE');
  expect(responses['422'].description).toContain('IDEMPOTENCY_KEY_REUSED');
  for (const path of ['/v1/flows/{id}', '/v1/records/preview-filter']) {
    const [[, operation]] = Object.entries(document.paths[path]) as [[string, typeof document]];
    expect(JSON.stringify(operation)).not.toContain('Idempot');
  }
});
