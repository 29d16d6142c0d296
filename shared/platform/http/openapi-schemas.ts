/**
 * Converts Zod schemas to the JSON Schema of an OpenAPI document that generators for Go, Python and TypeScript accept.
 *
 * Zod converts; this tidies each node: it removes bounds and defaults that say nothing, spells out patterns so that every
 * engine reads them alike, turns lists of types into alternatives, and moves schemas with an id into the components. A stream
 * of events becomes the schema of one message. `renderType` writes a schema as a line of TypeScript, for descriptions.
 */

import * as z from 'zod';

export type Json = Record<string, unknown>;

export type Components = Map<string, Json>;

/** Converts a schema to JSON Schema. Schemas with an id move to the components and are referenced. */
export function toOpenapiSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Components): Json {
  const {
    $schema: _dialect,
    $defs = {},
    ...converted
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema, zodSchema }) => tidy(jsonSchema, zodSchema),
  }) as Json & { $defs?: Record<string, Json> };
  for (const [name, definition] of Object.entries($defs)) schemas.set(name, pointToComponents(definition));
  const id = schema.meta()?.id;
  // A schema with an id is already a definition if it references itself.
  if (!id || converted.$ref) return pointToComponents(converted);
  schemas.set(id, pointToComponents(converted));
  return { $ref: `#/components/schemas/${id}` };
}

const pointToComponents = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'), (_name, value) =>
    Array.isArray(value?.type) ? toAlternatives(value) : value,
  );

/** Generators for Go read alternatives, and no list of types but one with null. Zod makes lists after all overrides (D33). */
function toAlternatives({ type, ...others }: { type: string[] }): Json {
  if (type.filter((each) => each !== 'null').length < 2) return { type, ...others };
  return { anyOf: type.map((each) => ({ type: each })), ...others };
}

interface Tidied {
  id?: unknown;
  pattern?: string;
  enum?: unknown;
  const?: unknown;
  minimum?: number;
  maximum?: number;
  description?: string;
  output?: unknown;
  asJson?: object;
  type?: unknown;
  default?: unknown;
  required?: readonly string[];
  anyOf?: unknown;
}

/** An incomplete object is no default. An empty one breaks the Go client of openapi-generator. */
const isFit = ({ default: value, required = [] }: Tidied) =>
  JSON.stringify(value) !== '{}' && required.every((member) => Object.hasOwn(Object(value), member));

/** Generators name a constant by its letters and signs of ASCII. */
const isNameless = (value: unknown) => typeof value === 'string' && !/[!-~]/.test(value);

/** Omits noise, rewrites patterns so that every engine reads them alike, and describes text as what it stands for. */
function tidy(schema: Tidied, source: z.core.$ZodType): void {
  delete schema.id;
  if (schema.asJson) describeAs(schema, schema.asJson);
  if (isNameless(schema.const)) {
    schema.description ??= `Always \`${schema.const}\``;
    delete schema.const;
  }
  // Zod omits the default of text that it converts.
  if (source instanceof z.ZodDefault && schema.type === 'integer') schema.default = source.def.defaultValue;
  if (schema.pattern !== undefined) schema.pattern = toPortablePattern(schema.pattern);
  // The schema of a step describes its input. Its output is described in prose.
  if (schema.output instanceof z.ZodType) {
    const output = renderType(z.toJSONSchema(schema.output, { unrepresentable: 'any' }) as object);
    schema.description = `${schema.description ?? ''}. Its output: \`${output}\``;
    delete schema.output;
  }
  if (schema.default !== undefined && !isFit(schema)) delete schema.default;
  if (schema.default !== undefined && schema.anyOf) {
    // Generators for Go refuse a default beside alternatives.
    const defaultText = `Default: \`${JSON.stringify(schema.default)}\``;
    schema.description = schema.description ? `${schema.description}. ${defaultText}` : defaultText;
    delete schema.default;
  }
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Replaces what says which values a schema takes. */
function describeAs(schema: Tidied, asJson: object): void {
  const { description, default: value } = schema;
  for (const key of Object.keys(schema)) delete schema[key as keyof Tidied];
  Object.assign(
    schema,
    description !== undefined && { description },
    value !== undefined && { default: value },
    asJson,
  );
}

/** As in OpenAPI 3.2. OpenAPI 3.1 has no `itemSchema`, so `schema` describes one event (D35). */
export function toEventStreamSchema(events: z.ZodType, components: Components): Json {
  const contentSchema = toOpenapiSchema(events, 'output', components);
  const name = `${events.meta()?.id}Message`;
  const [example] = (events.meta()?.examples ?? []) as SentExample[];
  const types = listTypes(events);
  // Those of other protocols may have no types, or no numbers.
  const heads = {
    ...((types.length > 0 || example?.type !== undefined) && {
      event: {
        type: 'string',
        ...(types.length > 0 && { enum: types }),
        description: 'The type of the event',
      },
    }),
    ...(example?.seq !== undefined && {
      id: { type: 'string', description: 'The number of the event in the stream' },
    }),
  };
  components.set(name, {
    type: 'object',
    properties: {
      ...heads,
      data: { type: 'string', contentMediaType: 'application/json', contentSchema },
    },
    required: [...Object.keys(heads), 'data'],
    ...(example !== undefined && { examples: [toMessage(example)] }),
  });
  return { schema: { $ref: `#/components/schemas/${name}` } };
}

interface SentExample {
  type?: string;
  seq?: number;
}

const toMessage = (event: SentExample) => ({
  ...(event.type !== undefined && { event: event.type }),
  ...(event.seq !== undefined && { id: String(event.seq) }),
  data: JSON.stringify(event),
});

const listTypes = (events: z.ZodType) =>
  events instanceof z.ZodDiscriminatedUnion
    ? events.options.flatMap((event) => (event instanceof z.ZodObject ? event.shape.type.value : []))
    : [];

/** Spelled out: Python's `\d` and `\w` match every script; Python and JavaScript without `u` lack `\p`. */
const sets: Record<string, string> = {
  // D34
  '\\d': '0-9',
  '\\w': 'A-Za-z0-9_',
  '\\p{Cc}': '\\x00-\\x1F\\x7F-\\x9F',
};
const complements: Record<string, string> = {
  '\\D': '0-9',
  '\\W': 'A-Za-z0-9_',
  '\\P{Cc}': '\\x00-\\x1F\\x7F-\\x9F',
};

/** So that JavaScript (with and without `u`), Python and Go interpret it alike. */
export function toPortablePattern(source: string): string {
  let inClass = false;
  return source.replace(/\\(?:p\{\w+\}|.)|[[\]]/gi, (token) => {
    if (token === '[' || token === ']') inClass = token === '[';
    if (inClass) return sets[token] ?? token;
    if (sets[token]) return `[${sets[token]}]`;
    return complements[token] ? `[^${complements[token]}]` : token;
  });
}

interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
}

/** Renders a JSON Schema as a one-line TypeScript type, which people read faster than a schema. */
export function renderType(schema: JsonSchema): string {
  const { anyOf, oneOf, properties, items, type, additionalProperties } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const variants = anyOf ?? oneOf;
  if (variants) return variants.map(renderType).join(' | ');
  if (Array.isArray(type)) return type.join(' | ');
  if (type === 'array') return `${wrapUnion(items ?? {})}[]`;
  if (type !== 'object') return type ?? 'any';
  if (properties && Object.keys(properties).length > 0)
    return renderMembers(properties, schema.required ?? []);
  return typeof additionalProperties === 'object' ? `map of ${wrapUnion(additionalProperties)}` : 'object';
}

function renderMembers(properties: Record<string, JsonSchema>, required: readonly string[]): string {
  const members = Object.entries(properties).map(
    ([name, member]) => `${name}${required.includes(name) ? '' : '?'}: ${renderType(member)}`,
  );
  return `{ ${members.join('; ')} }`;
}

const wrapUnion = (schema: JsonSchema) => {
  const text = renderType(schema);
  return text.includes(' | ') ? `(${text})` : text;
};
