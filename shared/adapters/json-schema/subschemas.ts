import { isJsonObject } from '../../core/json/json.ts';
import type { JsonSchema } from '../ports/model-port.ts';
import { subschemasMax, type ValueProblem } from './limits.ts';

/** The keywords of JSON Schema 2020-12 whose values contain schemas. */
const single = new Set(
  'items contains additionalProperties propertyNames not if then else unevaluatedItems unevaluatedProperties contentSchema'.split(
    ' ',
  ),
);
const listed = new Set(['prefixItems', 'allOf', 'anyOf', 'oneOf']);
const mapped = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

interface Subschema {
  schema: JsonSchema;
  path: string[];
}

/** The schema and all schemas in it, with their paths. Values such as `const` and `default` contain none. */
export function* walkSubschemas(schema: unknown, path: string[] = []): Generator<Subschema, void> {
  if (!isJsonObject(schema)) return;
  yield { schema, path };
  for (const [keyword, value] of Object.entries(schema)) {
    const at = [...path, keyword];
    if (single.has(keyword)) yield* walkSubschemas(value, at);
    else if (listed.has(keyword) || mapped.has(keyword)) {
      for (const [name, member] of Object.entries(isContainer(value) ? value : {})) {
        yield* walkSubschemas(member, [...at, name]);
      }
    }
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** Beyond the meta-schema: other drafts or documents, asynchronous schemas, invalid patterns. */
export function findRefusedParts(schema: JsonSchema): ValueProblem[] {
  const all = [...walkSubschemas(schema)];
  if (all.length > subschemasMax) {
    return [
      { path: '', message: `A schema contains at most ${subschemasMax} schemas; this one has ${all.length}` },
    ];
  }
  return all.flatMap(({ schema: part, path }) =>
    Object.entries(part).flatMap(([keyword, value]) => {
      const message = refusals.get(keyword)?.(value);
      return message === undefined ? [] : [{ path: [...path, keyword].join('.'), message }];
    }),
  );
}

const checkReference = (value: unknown) =>
  typeof value === 'string' && !value.startsWith('#')
    ? 'A reference must stay inside of the document: write #/$defs/<name>'
    : undefined;

function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const refusals = new Map<string, (value: unknown) => string | undefined>([
  ['$ref', checkReference],
  ['$dynamicRef', checkReference],
  ['pattern', (value) => (typeof value === 'string' ? patternProblem(value) : undefined)],
  [
    'patternProperties',
    (value) =>
      Object.keys(isContainer(value) ? value : {})
        .map(patternProblem)
        .find(Boolean),
  ],
  ['$async', () => 'Asynchronous schemas are not supported'],
  [
    '$schema',
    (value) =>
      typeof value === 'string' && value.replace(/#$/, '') !== draft
        ? `Expected a schema of the draft ${draft}; remove $schema, or convert the document`
        : undefined,
  ],
]);
