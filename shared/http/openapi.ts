import * as z from 'zod';
import { permissions } from '../auth/permissions.ts';
import { bodyLimits } from './body.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { typeText } from './type-text.ts';

type Json = Record<string, unknown>;

const ErrorDetail = z.object({ path: z.string().optional(), code: z.string(), message: z.string() });
const ErrorBody = z
  .object({ error: z.string(), details: z.union([z.string(), z.array(ErrorDetail)]).optional() })
  .meta({ id: 'Error' });

const errorMeanings: Record<number, string> = {
  400: 'The request is not valid; `details` names each culprit by its path',
  401: 'The API key is invalid or missing',
  403: 'The credential lacks the permission',
  404: 'There is no such thing in the caller’s tenant',
  409: 'The state of things, or another writer, is in the way',
  413: 'The body is too large',
  415: 'The body is of another media type',
  422: 'The request is well formed, but there is nothing to run',
  429: 'The hourly or daily limit is reached; `X-RateLimit-Reset` says until when',
  500: 'A fault of the service; `details` holds the request’s id',
  503: 'The time was too short for all of the work; `details` tells how much is done: send the call again',
};

const rateLimitHeaders = {
  'X-RateLimit-Limit': { description: 'Requests allowed in the window', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left in it', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Unix second at which it begins anew', schema: { type: 'integer' } },
};

const about = `Build and run automation from flows and records.

Send \`Authorization: Bearer <API key or session token>\` with every request. Bodies are JSON unless an operation says otherwise; members that an operation does not know are refused. Ids carry a prefix (\`flow_…\`) and sort by the time of their making.

In the steps of a flow, \`{{ name }}\` stands for a variable and \`{{secret:KEY}}\` for the value of a secret, which no answer ever shows: \`[secret:KEY]\` stands in its place.

Lists are paged by \`cursor\`, or by \`offset\` where an operation has it. A JSON body may have ${bodyLimits.json.toLocaleString('en')} bytes, an upload ${bodyLimits.multipart.toLocaleString('en')}.`;

/** The OpenAPI 3.1 document of the endpoints, with every schema that carries an id as a component. */
export function openApi(endpoints: readonly AnyEndpoint[]) {
  const schemas = new Map<string, Json>();
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    if (endpoint.produces) continue;
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint, schemas),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Agent and Flow Automation Service', version: '1.0.0', description: about },
    // Relative to where the document is served, so it holds behind any host and stage.
    servers: [{ url: '.', description: 'this deployment' }],
    tags: [...new Set(endpoints.filter(({ produces }) => !produces).map(groupOf))].map((name) => ({ name })),
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key or a session token. Permissions: ${Object.entries(permissions)
            .map(([name, meaning]) => `\`${name}\` ${meaning}`)
            .join(', ')}.`,
        },
      },
    },
  };
}

export const groupOf = ({ id }: AnyEndpoint) => id.split('.')[0] ?? id;

function operation(endpoint: AnyEndpoint, schemas: Map<string, Json>): Json {
  const {
    id,
    summary,
    description,
    permission,
    sessionOnly,
    acceptsIntakeToken,
    optionalCredential,
    params,
    query,
    body,
    bodyType,
    responses,
    errors = [],
  } = endpoint;
  const isPublic = permission === 'public';
  const isCounted = !isPublic || optionalCredential !== undefined;
  const needed = isPublic
    ? ''
    : permission === 'authenticated'
      ? 'Needs any valid credential.'
      : `Needs \`${permission}\`${sessionOnly ? ', and a session' : ''}${acceptsIntakeToken ? ', or the token of a setup link' : ''}.`;
  const failures = [...new Set([...errors, ...(isCounted ? [401, 403, 429] : []), 500])].sort();
  return {
    operationId: id,
    tags: [groupOf(endpoint)],
    summary,
    description: [description, needed].filter(Boolean).join('\n\n'),
    ...(isPublic && { security: optionalCredential ? [{}, { bearer: [] }] : [] }),
    parameters: [...parameters('path', params, schemas), ...parameters('query', query, schemas)],
    ...(body && {
      requestBody: {
        required: !body.isOptional?.(),
        content: {
          [bodyType === 'multipart' ? 'multipart/form-data' : 'application/json']: {
            schema: schemaOf(body, 'input', schemas),
            ...exampleOf(body),
          },
        },
      },
    }),
    responses: Object.fromEntries([
      ...Object.entries(responses as Record<string, z.ZodType>).map(([status, schema]) => [
        status,
        success(Number(status), schema, endpoint, schemas),
      ]),
      ...failures.map((status) => [status, failure(status, isCounted, schemas)]),
    ]),
  };
}

const success = (
  status: number,
  schema: z.ZodType,
  { permission, optionalCredential, streams, streamsAs = 'text/event-stream' }: AnyEndpoint,
  schemas: Map<string, Json>,
) => ({
  description: status === 204 ? 'Done; no body' : 'Done',
  ...((permission !== 'public' || optionalCredential) && { headers: rateLimitHeaders }),
  ...(status !== 204 && {
    content: {
      ...(streams && { [streamsAs]: { schema: schemaOf(streams, 'output', schemas) } }),
      ...(schema !== streams && { 'application/json': { schema: schemaOf(schema, 'output', schemas) } }),
    },
  }),
});

const failure = (status: number, isCounted: boolean, schemas: Map<string, Json>) => ({
  description: errorMeanings[status] ?? '',
  ...(isCounted && { headers: rateLimitHeaders }),
  content: { 'application/json': { schema: schemaOf(ErrorBody, 'output', schemas) } },
});

function parameters(place: 'path' | 'query', schema: z.ZodType | undefined, schemas: Map<string, Json>) {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input', schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }));
}

/** A schema as JSON Schema; those with an id are moved to the components and referred to. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Map<string, Json>): Json {
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
  minimum?: number;
  maximum?: number;
  description?: string;
  output?: unknown;
}

/** Leaves out what would only puzzle a reader: bounds that every number has, and the name that becomes the reference. */
function tidy(schema: Tidied): void {
  delete schema.id;
  // A step's schema is that of what is sent; what comes of it is told in words.
  if (schema.output instanceof z.ZodType) {
    const output = typeText(z.toJSONSchema(schema.output, { unrepresentable: 'any' }) as object);
    schema.description = `${schema.description ?? ''}. Its output: \`${output}\``;
    delete schema.output;
  }
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function exampleOf(schema: z.ZodType): { example?: unknown } {
  const [example] = (schema.meta()?.examples ?? []) as unknown[];
  return example === undefined ? {} : { example };
}
