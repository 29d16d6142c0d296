import * as z from 'zod';
import { portablePattern } from './portable-pattern.ts';
import { typeText } from './type-text.ts';

export type Json = Record<string, unknown>;

/** The schemas of a document that carry a name, by that name. */
export type Components = Map<string, Json>;

/** A schema as JSON Schema; those with an id are moved to the components and referred to. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Components): Json {
  const {
    $schema: _dialect,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema),
  }) as Json & { $defs?: Record<string, Json> };
  for (const [name, definition] of Object.entries($defs)) schemas.set(name, pointToComponents(definition));
  const id = schema.meta()?.id;
  // With an id of its own the schema is among the definitions already when it refers to itself.
  if (!id || own.$ref) return pointToComponents(own);
  schemas.set(id, pointToComponents(own));
  return { $ref: `#/components/schemas/${id}` };
}

const pointToComponents = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', '#/components/schemas/'));

interface Tidied {
  id?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  description?: string;
  output?: unknown;
}

/**
 * Leaves out what would only puzzle a reader: bounds that every number has, and the name that becomes the reference.
 * Patterns are spelled so that every reader takes them for the same.
 */
function tidy(schema: Tidied): void {
  delete schema.id;
  if (schema.pattern !== undefined) schema.pattern = portablePattern(schema.pattern);
  // A step's schema is that of what is sent; what comes of it is told in words.
  if (schema.output instanceof z.ZodType) {
    const output = typeText(z.toJSONSchema(schema.output, { unrepresentable: 'any' }) as object);
    schema.description = `${schema.description ?? ''}. Its output: \`${output}\``;
    delete schema.output;
  }
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/**
 * What a stream of server-sent events is made of, as OpenAPI 3.2 describes it: `event`, `id`, and `data` with the schema of
 * its JSON. 3.1 has no `itemSchema`: `schema` tells of one event, and the extension registered for 3.1 says that it does.
 */
export function eventStreamOf(events: z.ZodType, components: Components): Json {
  const contentSchema = schemaOf(events, 'output', components);
  const name = `${events.meta()?.id}Message`;
  components.set(name, {
    type: 'object',
    properties: {
      event: { type: 'string', enum: typesOf(events), description: 'The type of the event' },
      id: { type: 'string', description: 'Its number in the stream' },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema },
    },
    required: ['event', 'id', 'data'],
  });
  const item = { $ref: `#/components/schemas/${name}` };
  return { schema: item, 'x-oai-itemSchema': item };
}

const typesOf = (events: z.ZodType) =>
  events instanceof z.ZodDiscriminatedUnion
    ? events.options.flatMap((event) => (event instanceof z.ZodObject ? event.shape.type.value : []))
    : [];
