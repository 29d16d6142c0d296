import * as z from 'zod';
import { detailCodes } from '../../core/error-codes.ts';
import { permissions } from '../identity/permissions.ts';
import { bodyLimits } from './body.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { Group } from './group.ts';
import { textStatuses } from './http-errors.ts';
import { type Components, eventStreamOf, type Json, schemaOf } from './openapi-schemas.ts';
import type { Bodies, EndpointResponse } from './response.ts';

const codesText = Object.entries(detailCodes).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
const ErrorDetail = z
  .object({
    path: z.string().optional().describe('What is wrong: a dotted path into the body, or a parameter'),
    code: z.string().describe(`What is wrong with it. More codes may be added.\n\n${codesText.join('\n')}`),
    message: z.string(),
  })
  .meta({ id: 'ErrorDetail' });
const ErrorBody = z.object({ error: z.string(), details: z.array(ErrorDetail) }).meta({ id: 'Error' });
const AccessError = z
  .object({
    error: z.string(),
    details: z.string(),
    code: z.string().optional().describe('Where the reason has a code: see `ErrorDetail`'),
  })
  .meta({ id: 'AccessError' });

const errorMeanings: Record<number, string> = {
  400: 'The request is not valid; `details` names each culprit by its path',
  401: 'The API key is invalid or missing',
  403: 'The credential lacks the permission',
  404: 'There is no such resource in the caller’s tenant',
  409: 'The state of things, or another writer, is in the way',
  413: 'The body is too large',
  415: 'The body is of another media type',
  422: 'The request is well formed, but there is nothing to run',
  429: 'The hourly or daily limit is reached; `X-RateLimit-Reset` says until when',
  500: 'A fault of the service; `details` holds the request’s id',
  503: 'Too busy to begin, or the time was too short for all of the work; `details` tells which, and how much is done: send the call again',
  504: 'The request took too long and was ended; what it has written by then stays',
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

/** How the document describes itself. It is a static file, so it has no handler. */
export const apiDocument = {
  id: 'docs.openapi',
  method: 'GET',
  path: '/openapi.json',
  permission: 'public',
  scope: 'none',
  summary: 'This document',
  ...{ params: undefined, query: undefined, body: undefined },
  response: { kind: 'json', bodies: { 200: z.looseObject({ openapi: z.string() }) } },
} as const satisfies Described;

type Described = Omit<AnyEndpoint, 'needs' | 'handle'>;

const docsGroup: { description: string; endpoints: readonly Described[] } = {
  description: 'This description of the API.',
  endpoints: [apiDocument],
};

/**
 * The OpenAPI 3.1 document of the endpoints, with every schema that carries an id as a component.
 * @param groups By their names, which become the tags.
 */
export function openApi(groups: Readonly<Record<string, Group>>) {
  const described = Object.entries({ ...groups, docs: docsGroup }).map(
    ([name, { description, endpoints }]) => ({
      tag: { name, description },
      // A page or a script is no operation.
      endpoints: endpoints.filter(({ response }) => response.kind !== 'text'),
    }),
  );
  const schemas: Components = new Map();
  const paths: Record<string, Json> = {};
  for (const endpoint of described.flatMap(({ endpoints }) => endpoints)) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint, schemas),
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
    // Relative to where the document is served, so it holds behind any host and stage.
    servers: [{ url: '.', description: 'this deployment' }],
    tags: described.filter(({ endpoints }) => endpoints.length > 0).map(({ tag }) => tag),
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

export const groupOf = ({ id }: Described) => id.split('.')[0] ?? id;

function operation(endpoint: Described, schemas: Components): Json {
  const {
    id,
    summary,
    description,
    permission,
    sessionOnly,
    acceptsIntakeToken,
    scope,
    params,
    query,
    body,
    bodyType,
    errors = [],
  } = endpoint;
  const isPublic = permission === 'public';
  const isCounted = scope !== 'none';
  const takesCredential = !isPublic || (isCounted && scope?.kind === 'optional-credential');
  const needed = isPublic
    ? ''
    : permission === 'authenticated'
      ? 'Needs any valid credential.'
      : `Needs \`${permission}\`${sessionOnly ? ', and a session' : ''}${acceptsIntakeToken ? ', or the token of a setup link' : ''}.`;
  const failures = [...new Set([...errors, ...(takesCredential ? [401, 403, 429] : [429]), 500, 504])].sort();
  return {
    operationId: id,
    tags: [groupOf(endpoint)],
    summary,
    description: [description, needed].filter(Boolean).join('\n\n'),
    ...(isPublic && { security: takesCredential ? [{}, { bearer: [] }] : [] }),
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
      ...successes(endpoint.response, schemas).map(([status, content]) => [
        status,
        success(status, content, isCounted),
      ]),
      ...failures.map((status) => [status, failure(status, isCounted, schemas)]),
    ]),
  };
}

/** The content of each status that is a success; of none, where it has no body. */
function successes(
  response: EndpointResponse,
  schemas: Components,
): [status: number, content: Json | undefined][] {
  const json = (schema: z.ZodType) => ({
    'application/json': { schema: schemaOf(schema, 'output', schemas) },
  });
  const whole = (bodies: Bodies = {}) =>
    Object.entries(bodies).map(([status, schema]): [number, Json | undefined] => [
      Number(status),
      status === '204' ? undefined : json(schema),
    ]);
  switch (response.kind) {
    case 'text':
      return [[200, { [response.mediaType]: { schema: { type: 'string' } } }]];
    case 'json':
      return whole(response.bodies);
    case 'stream': {
      const schema = schemaOf(response.body, 'output', schemas);
      return [[200, { [response.mediaType]: { schema } }], ...whole(response.bodies)];
    }
    case 'sse': {
      // First, since generators that know one answer only take the first.
      const inOne = response.json && json(response.json);
      return [[200, { ...inOne, 'text/event-stream': eventStreamOf(response.events, schemas) }]];
    }
  }
}

const success = (status: number, content: Json | undefined, isCounted: boolean) => ({
  description: status === 204 ? 'Done; no body' : 'Done',
  ...(isCounted && { headers: rateLimitHeaders }),
  ...(content && { content }),
});

const errorBodyOf = (status: number) => (textStatuses.includes(status) ? AccessError : ErrorBody);

const failure = (status: number, isCounted: boolean, schemas: Components) => ({
  description: errorMeanings[status] ?? '',
  ...((isCounted || status === 429) && { headers: rateLimitHeaders }),
  content: { 'application/json': { schema: schemaOf(errorBodyOf(status), 'output', schemas) } },
});

function parameters(place: 'path' | 'query', schema: z.ZodType | undefined, schemas: Components) {
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

function exampleOf(schema: z.ZodType): { example?: unknown } {
  const [example] = (schema.meta()?.examples ?? []) as unknown[];
  return example === undefined ? {} : { example };
}
