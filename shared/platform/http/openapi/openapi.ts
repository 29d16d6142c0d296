import * as z from 'zod';
import { permissions } from '../../identity/permissions.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import type { EndpointGroup } from '../group.ts';
import { IdempotencyHeaders, takesIdempotencyKey } from '../idempotency-key.ts';
import { errorStatuses, takesCredential } from '../lambda/error-statuses.ts';
import { megabytes, requestBytesMax, responseBytesMax } from '../responses/body-sizes.ts';
import { openapiResponses } from './openapi-responses.ts';
import { type Components, type Json, openapiSchema } from './openapi-schemas.ts';

const about = `Build and run automation from flows, agents, records and products.

Send \`Authorization: Bearer <API key or session token>\` with every request. Bodies are JSON unless an operation says otherwise, as they are or in gzip. Each path with GET has HEAD too. Unknown members are rejected. Ids have a prefix (\`flow_…\`) and sort by creation time.

In the steps of a flow, \`{{ name }}\` inserts a variable and \`{{secret:KEY}}\` the value of a secret. Responses never contain secret values: they show \`[secret:KEY]\` instead.

With a header \`Idempotency-Key\`, a POST that is sent again does nothing and gets the first response again, for 24 hours.

Lists use \`cursor\` pagination, some operations \`offset\` or \`page\`. 

A JSON body has at most ${megabytes(requestBytesMax)} and an upload at most ${megabytes((requestBytesMax * 3) / 4)}. A list ends at ${megabytes(responseBytesMax)} and then says how to continue. Both are counted as AWS Lambda counts them: inside a JSON string, where a quote, a backslash or a line break counts twice. A body of more than 6 MB never reaches the service: API Gateway returns a 413 of its own, \`{"message": "Request Too Long"}\`, or a text for more than 10 MB.`;

/** The endpoint of the document itself. It is a static file, so it has no handler. */
const apiDocument = {
  id: 'docs.openapi',
  method: 'GET',
  path: '/openapi.json',
  permission: 'public',
  scope: 'none',
  summary: 'This document',
  params: undefined,
  query: undefined,
  body: undefined,
  response: { kind: 'json', bodies: { 200: z.looseObject({ openapi: z.string() }) } },
} as const satisfies Described;

type Described = Omit<AnyEndpoint, 'needs' | 'handle'>;

const docsGroup: { description: string; endpoints: readonly Described[] } = {
  description: 'The OpenAPI document of this API.',
  endpoints: [apiDocument],
};

/** Each schema with an id becomes a component. @param groups By name; the names become the tags. */
export function openApi(groups: Readonly<Record<string, EndpointGroup>>) {
  const described = Object.entries({ ...groups, docs: docsGroup }).map(
    ([name, { description, endpoints }]) => ({
      tag: { name, description, 'x-displayName': titleOf(name) },
      endpoints,
    }),
  );
  const schemas: Components = new Map();
  const paths: Record<string, Json> = {};
  for (const endpoint of described.flatMap(({ endpoints }) => endpoints)) {
    const path = documentedPath(endpoint);
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: openApiOperation(endpoint, schemas),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent and Flow Automation Service',
      version: '1.0.0',
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative to the document's URL, so it is valid for every host and stage.
    servers: [{ url: '.', description: 'this deployment' }],
    tags: described.filter(({ endpoints }) => endpoints.length > 0).map(({ tag }) => tag),
    security: [{ bearer: [] }],
    paths,
    components: openapiComponents(
      schemas,
      `An API key or a session token. Permissions: ${Object.entries(permissions)
        .map(([name, meaning]) => `\`${name}\` ${meaning}`)
        .join(', ')}.`,
    ),
  };
}

/** OpenAPI has no parameter of several segments. */
export const documentedPath = ({ path }: Pick<Described, 'path'>): string => path.replace('+}', '}');

/** The name of a group as a heading: `surface-a2a` is "Surface A2A". */
function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ').replace(/\b(a2a|api|mcp)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The components of a document. @param credential Which credentials its operations take. */
export const openapiComponents = (schemas: Components, credential: string) => ({
  schemas: Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: credential } },
});

export const operationGroup = ({ id }: Described) => id.split('.')[0] ?? id;

const specialCredentials = {
  'setup-link': 'the token of a setup link',
  'surface-key': 'a key of the surface',
};

const mediaTypes = {
  json: ['application/json'],
  multipart: ['multipart/form-data'],
  'json-or-form': ['application/json', 'application/x-www-form-urlencoded'],
} as const;

/** The operation of an endpoint. Its named schemas become components. */
export function openApiOperation(endpoint: Described, schemas: Components): Json {
  const {
    id,
    summary,
    description,
    permission,
    sessionOnly,
    accepts = [],
    scope,
    params,
    query,
    headers,
    body,
    bodyType = 'json',
    deletes = endpoint.method === 'DELETE',
  } = endpoint;
  const isPublic = permission === 'public';
  const isCounted = scope !== 'none';
  const takesKey = takesIdempotencyKey(endpoint);
  const orOthers = accepts.map((kind) => `, or ${specialCredentials[kind]}`).join('');
  const needed = isPublic
    ? ''
    : permission === 'authenticated'
      ? `Requires any valid API key or session${orOthers}.`
      : `Requires ${[permission]
          .flat()
          .map((each) => `\`${each}\``)
          .join(' or ')}${sessionOnly ? ' and a session' : ''}${orOthers}.`;
  return {
    operationId: id,
    tags: [operationGroup(endpoint)],
    summary,
    description: [description, needed].filter(Boolean).join('\n\n'),
    ...(deletes && { 'x-destructive': true }),
    ...(isPublic && { security: takesCredential(endpoint) ? [{}, { bearer: [] }] : [] }),
    parameters: [
      ...parameters('path', params, schemas),
      ...parameters('query', query, schemas),
      ...parameters('header', headers, schemas),
      ...parameters('header', takesKey ? IdempotencyHeaders : undefined, schemas),
    ],
    ...(body && {
      requestBody: {
        required: !body.isOptional?.(),
        content: Object.fromEntries(
          mediaTypes[bodyType].map((type) => [
            type,
            { schema: openapiSchema(body, 'input', schemas), ...exampleOf(body) },
          ]),
        ),
      },
    }),
    responses: openapiResponses(endpoint, errorStatuses(endpoint), { isCounted, takesKey }, schemas),
  };
}

function parameters(place: 'path' | 'query' | 'header', schema: z.ZodType | undefined, schemas: Components) {
  if (!schema) return [];
  const { properties = {}, required = [] } = openapiSchema(schema, 'input', schemas) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  // An alias and its name are one field for generators of Go.
  const described = Object.entries(properties).filter(([, { aliasOf }]) => aliasOf === undefined);
  return described.map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    ...(property.type === 'array' && { style: 'form', explode: false }),
    schema: property,
  }));
}

function exampleOf(schema: z.ZodType): { example?: unknown } {
  const [example] = (schema.meta()?.examples ?? []) as unknown[];
  return example === undefined ? {} : { example };
}
