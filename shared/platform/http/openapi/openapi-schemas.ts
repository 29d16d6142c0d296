import * as z from 'zod';
import { portablePattern } from './portable-pattern.ts';
import { typeText } from './type-text.ts';

export type Json = Record<string, unknown>;

export type Components = Map<string, Json>;

/** Converts a schema to JSON Schema. Schemas with an id move to the components and are referenced. */
export function openapiSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Components): Json {
  const {
    $schema: _dialect,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema, zodSchema }) => tidy(jsonSchema, zodSchema),
  }) as Json & { $defs?: Record<string, Json> };
  for (const [name, definition] of Object.entries($defs)) schemas.set(name, pointToComponents(definition));
  const id = schema.meta()?.id;
  // A schema with an id is already a definition if it references itself.
  if (!id || own.$ref) return pointToComponents(own);
  schemas.set(id, pointToComponents(own));
  return { $ref: `#/components/schemas/${id}` };
}

const pointToComponents = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'), (_name, value) =>
    Array.isArray(value?.type) ? withAlternatives(value) : value,
  );

/** Generators for Go read alternatives, and no list of types but one with null. Zod makes lists after all overrides. */
function withAlternatives({ type, ...others }: { type: string[] }): Json {
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
const isFit = ({ default: given, required = [] }: Tidied) =>
  JSON.stringify(given) !== '{}' && required.every((member) => Object.hasOwn(Object(given), member));

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
  if (schema.pattern !== undefined) schema.pattern = portablePattern(schema.pattern);
  // The schema of a step describes its input. Its output is described in prose.
  if (schema.output instanceof z.ZodType) {
    const output = typeText(z.toJSONSchema(schema.output, { unrepresentable: 'any' }) as object);
    schema.description = `${schema.description ?? ''}. Its output: \`${output}\``;
    delete schema.output;
  }
  if (schema.default !== undefined && !isFit(schema)) delete schema.default;
  if (schema.default !== undefined && schema.anyOf) {
    // Generators for Go refuse a default beside alternatives.
    const given = `Default: \`${JSON.stringify(schema.default)}\``;
    schema.description = schema.description ? `${schema.description}. ${given}` : given;
    delete schema.default;
  }
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Replaces what says which values a schema takes. */
function describeAs(schema: Tidied, asJson: object): void {
  const { description, default: given } = schema;
  for (const key of Object.keys(schema)) delete schema[key as keyof Tidied];
  Object.assign(
    schema,
    description !== undefined && { description },
    given !== undefined && { default: given },
    asJson,
  );
}

/** As in OpenAPI 3.2. OpenAPI 3.1 has no `itemSchema`, so `schema` describes one event. */
export function eventStreamSchema(events: z.ZodType, components: Components): Json {
  const contentSchema = openapiSchema(events, 'output', components);
  const name = `${events.meta()?.id}Message`;
  const [example] = (events.meta()?.examples ?? []) as SentExample[];
  const types = typesOf(events);
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
    ...(example !== undefined && { examples: [messageOf(example)] }),
  });
  return { schema: { $ref: `#/components/schemas/${name}` } };
}

interface SentExample {
  type?: string;
  seq?: number;
}

const messageOf = (event: SentExample) => ({
  ...(event.type !== undefined && { event: event.type }),
  ...(event.seq !== undefined && { id: String(event.seq) }),
  data: JSON.stringify(event),
});

const typesOf = (events: z.ZodType) =>
  events instanceof z.ZodDiscriminatedUnion
    ? events.options.flatMap((event) => (event instanceof z.ZodObject ? event.shape.type.value : []))
    : [];
