import { beforeAll, expect, test } from 'vitest';
import { FieldPath } from '../../../shared/core/filters/filter.ts';
import { StreamEvent } from '../../../shared/protocols/run-events/stream-event.ts';
import { whyNotPortable } from '../../support/files/portable-patterns.ts';
import { call } from '../../support/stack/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
let document: any;
// biome-ignore lint/suspicious/noExplicitAny: as above
let schemas: Record<string, any>;

beforeAll(async () => {
  ({ body: document } = await call('GET', '/openapi.json'));
  ({ schemas } = document.components);
});

/** Of every member of that name, anywhere in the document. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function valuesOf(name: string): any[] {
  const values: unknown[] = [];
  JSON.stringify(document, (key, value) => {
    if (key === name) values.push(value);
    return value;
  });
  return values;
}

const referred = ({ $ref }: { $ref: string }) => schemas[$ref.split('/').at(-1) ?? ''];

test('the document states its licence and describes each of its groups', () => {
  expect(document.info.license).toEqual({ name: 'MIT', identifier: 'MIT' });
  for (const { name, description } of document.tags) expect(description, name).toMatch(/^[A-Z].{20,}\.$/);
});

test('each response of each operation has a description', () => {
  const without = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(
      operations as Record<string, { responses?: Record<string, { description: string }> }>,
    ).flatMap(([method, { responses = {} }]) =>
      Object.entries(responses).flatMap(([status, { description }]) =>
        description ? [] : [`${method} ${path}: ${status}`],
      ),
    ),
  );
  expect(without).toEqual([]);
});

test('JavaScript with and without `u`, Python and Go interpret each of its regular expressions alike', () => {
  const patterns = new Set(valuesOf('pattern').filter((value) => typeof value === 'string'));
  expect(patterns.size).toBeGreaterThan(10);
  const refused = [...patterns].map((pattern) => [pattern, whyNotPortable(pattern)] as const);
  expect(refused.filter(([, reasons]) => reasons.length > 0)).toEqual([]);
});

test.each([
  ['a letter', 'é', true],
  ['an emoji', '😀', true],
  ['a line break', 'a\nb', false],
  ['a NUL', '\0', false],
  ['a control character of Latin-1', '\x85', false],
])('a field of a filter with %s: the document describes it as the service behaves', (_, field, good) => {
  const [pattern = '', ...others] = valuesOf('field').flatMap(({ pattern }) => pattern ?? []);
  expect(new Set(others)).toEqual(new Set([pattern]));
  expect(FieldPath.safeParse(field).success).toBe(good);
  for (const flags of ['', 'u']) expect(new RegExp(pattern, flags).test(field)).toBe(good);
});

test('each streamed event is a component, named by its type', () => {
  const { oneOf } = schemas.StreamEvent;
  const types = StreamEvent.options.map(({ shape }) => shape.type.value);
  expect(oneOf.map((event: { $ref: string }) => referred(event).properties.type.const)).toEqual(types);
  expect(oneOf).toContainEqual({ $ref: '#/components/schemas/StepCompleteEvent' });
});

test('no member has a prefix that the OpenAPI Initiative reserves: openapi-generator refuses such documents', () => {
  expect(JSON.stringify(document).match(/"x-oa[is]-[^"]*"/g) ?? []).toEqual([]);
});

test('no default is an empty object, which openapi-generator for Go cannot write', () => {
  expect(JSON.stringify(document)).not.toContain('"default":{}');
});

test('no array is a tuple, whose `items: false` openapi-python-client refuses', () => {
  expect(valuesOf('prefixItems')).toEqual([]);
  expect(valuesOf('items').filter((value) => value === false)).toEqual([]);
});

test('a stream follows the OpenAPI 3.2 description of server-sent events: event, id, and data with its schema', () => {
  const stream = document.paths['/v1/dispatch'].post.responses[200].content['text/event-stream'];
  expect(stream.schema).toEqual({ $ref: '#/components/schemas/StreamEventMessage' });
  expect(referred(stream.schema)).toMatchObject({
    type: 'object',
    required: ['event', 'id', 'data'],
    properties: {
      event: { enum: StreamEvent.options.map(({ shape }) => shape.type.value) },
      id: { type: 'string' },
      data: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: { $ref: '#/components/schemas/StreamEvent' },
      },
    },
  });
});
