/**
 * Describes the endpoints as an OpenAPI 3.1 document: paths, parameters, bodies, every status with its form of error, and the
 * headers.
 * All of it is derived from the declarations and their schemas; only the texts about the service, the meanings of statuses and
 * the headers stand here. Used for `/openapi.json`, the clients, and the documents of single surfaces, which describe
 * operations of their own with the same functions. Schemas are converted in `openapi-schemas.ts`.
 */
import * as z from 'zod';
import { detailCodes } from '../../core/errors/error-codes.ts';
import { combineRequirements, type Requirements } from '../aws/uses.ts';
import { permissions } from '../identity/permissions.ts';
import { listErrorStatuses, takesCredential } from './declared-statuses.ts';
import type { AnyEndpoint, EndpointGroup } from './endpoint.ts';
import { IdempotencyHeaders, takesIdempotencyKey } from './idempotency-key.ts';
import { type Components, type Json, toEventStreamSchema, toOpenapiSchema } from './openapi-schemas.ts';
import { maxHeaderSize, megabytes, requestBytesMax, responseBytesMax } from './responses/body-sizes.ts';
import { textStatuses } from './responses/http-errors.ts';
import type { Bodies, EndpointResponse } from './responses/response.ts';

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
      tag: { name, description, 'x-displayName': toTitle(name) },
      endpoints,
    }),
  );
  const schemas: Components = new Map();
  const paths: Record<string, Json> = {};
  for (const endpoint of described.flatMap(({ endpoints }) => endpoints)) {
    const path = toDocumentedPath(endpoint);
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
    components: toComponents(
      schemas,
      `An API key or a session token. Permissions: ${Object.entries(permissions)
        .map(([name, meaning]) => `\`${name}\` ${meaning}`)
        .join(', ')}.`,
    ),
  };
}

/** OpenAPI has no parameter of several segments. */
export const toDocumentedPath = ({ path }: Pick<Described, 'path'>): string => path.replace('+}', '}');

/** The name of a group as a heading: `surface-a2a` is "Surface A2A". */
function toTitle(name: string): string {
  const words = name.replaceAll('-', ' ').replace(/\b(a2a|api|mcp)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The components of a document. @param credential Which credentials its operations take. */
export const toComponents = (schemas: Components, credential: string) => ({
  schemas: Object.fromEntries([...schemas].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: credential } },
});

export const getOperationGroup = ({ id }: Described) => id.split('.')[0] ?? id;

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
    tags: [getOperationGroup(endpoint)],
    summary,
    description: [description, needed].filter(Boolean).join('\n\n'),
    ...(deletes && { 'x-destructive': true }),
    ...(isPublic && { security: takesCredential(endpoint) ? [{}, { bearer: [] }] : [] }),
    parameters: [
      ...describeParameters('path', params, schemas),
      ...describeParameters('query', query, schemas),
      ...describeParameters('header', headers, schemas),
      ...describeParameters('header', takesKey ? IdempotencyHeaders : undefined, schemas),
    ],
    ...(body && {
      requestBody: {
        required: !body.isOptional?.(),
        content: Object.fromEntries(
          mediaTypes[bodyType].map((type) => [
            type,
            { schema: toOpenapiSchema(body, 'input', schemas), ...findExample(body) },
          ]),
        ),
      },
    }),
    responses: describeResponses(endpoint, listErrorStatuses(endpoint), { isCounted, takesKey }, schemas),
  };
}

function describeParameters(
  place: 'path' | 'query' | 'header',
  schema: z.ZodType | undefined,
  schemas: Components,
) {
  if (!schema) return [];
  const { properties = {}, required = [] } = toOpenapiSchema(schema, 'input', schemas) as {
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

function findExample(schema: z.ZodType): { example?: unknown } {
  const [example] = (schema.meta()?.examples ?? []) as unknown[];
  return example === undefined ? {} : { example };
}

const codesText = Object.entries(detailCodes).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
const ErrorDetail = z
  .object({
    path: z
      .string()
      .optional()
      .describe('The place of the error: a dotted path into the body, or a parameter'),
    code: z.string().describe(`The kind of error. More codes may be added.\n\n${codesText.join('\n')}`),
    message: z.string(),
  })
  .meta({ id: 'ErrorDetail' });
const ErrorBody = z.object({ error: z.string(), details: z.array(ErrorDetail) }).meta({ id: 'Error' });
const AccessError = z
  .object({
    error: z.string(),
    details: z.string(),
    code: z.string().optional().describe('Present if the reason has a code: see `ErrorDetail`'),
  })
  .meta({ id: 'AccessError' });

const errorMeanings: Record<number, string> = {
  400: 'The request is invalid; `details` lists each error with its path',
  401: 'The API key is invalid or missing',
  403: 'The credential lacks the required permission',
  404: 'The caller’s tenant has no such resource',
  402: 'A budget is spent that pays for the models of what was to start',
  408: 'The body arrived too slowly',
  409: 'The state of the resource, or a concurrent change, prevents the operation',
  413: 'The body is too large',
  415: 'The operation does not accept the media type of the body',
  422: 'The request is well-formed, but something that it needs is missing',
  429: 'The hourly or daily limit is reached; `X-RateLimit-Reset` is the time of the reset',
  431: `The request line and the headers have more than ${maxHeaderSize} bytes together. API Gateway returns a text of its own`,
  500: 'Internal error; `details` contains the request id',
  502: 'Another server, which the request or the resource names, failed or could not be reached',
  503: 'The service is too busy to start, or ran out of time before all work was done. `details` says which, and how much is done: send the request again',
  504: 'The request timed out; its writes up to then remain',
  507: 'The disk of a service on one machine is full, so nothing can be written; reads go on',
};

const rateLimitHeaders = {
  'X-RateLimit-Limit': { description: 'Requests allowed per window', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Requests left in the window', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Unix second at which the window resets', schema: { type: 'integer' } },
};

const replayedHeader = {
  'Idempotent-Replayed': {
    description: 'Present if this is the response to an earlier request with the same `Idempotency-Key`',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** What error statuses also mean where requests take an idempotency key. */
const keyMeanings: Record<number, string> = {
  409: '`IDEMPOTENCY_KEY_IN_USE`: the first request with the key is still being answered; send this one again after a second',
  422: '`IDEMPOTENCY_KEY_REUSED`: an earlier request with the key had another body',
};

interface Headers {
  /** Whether requests are counted, so that responses have rate limit headers. */
  isCounted: boolean;
  takesKey: boolean;
}

const describeHeaders = ({ isCounted, takesKey }: Headers) => ({
  ...(isCounted && rateLimitHeaders),
  ...(takesKey && replayedHeader),
});

const describeResponses = (
  endpoint: Failing & Pick<AnyEndpoint, 'response' | 'statuses'>,
  failures: readonly number[],
  headers: Headers,
  schemas: Components,
) =>
  Object.fromEntries([
    ...listSuccesses(endpoint.response, schemas).map(([status, content]) => [
      status,
      describeSuccess(status, content, headers),
    ]),
    ...failures.map((status) => {
      const meanings = [
        isOurs(endpoint, status) && errorMeanings[status],
        endpoint.statuses?.[status],
        endpoint.protocolErrors?.statuses[status],
        headers.takesKey && keyMeanings[status],
      ];
      const description = meanings.filter(Boolean).join('. ');
      return [
        status,
        describeFailure(status, description, headers.isCounted, toErrorSchema(endpoint, status, schemas)),
      ];
    }),
  ]);

/** The content of each success status; none for a status without a body. */
function listSuccesses(
  response: EndpointResponse,
  schemas: Components,
): [status: number, content: Json | undefined][] {
  const json = (schema: z.ZodType) => ({
    'application/json': { schema: toOpenapiSchema(schema, 'output', schemas) },
  });
  const jsonBodies = (bodies: Bodies = {}) =>
    Object.entries(bodies).map(([status, schema]): [number, Json | undefined] => [
      Number(status),
      status === '204' ? undefined : json(schema),
    ]);
  switch (response.kind) {
    case 'redirect':
      return [
        [200, { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }],
        [302, undefined],
      ];
    case 'json':
      return [...jsonBodies(response.bodies), ...(response.cached ? [notModified] : [])];
    case 'stream': {
      const schema = toOpenapiSchema(response.body, 'output', schemas);
      const empty: [number, undefined][] = response.emptyStatus ? [[response.emptyStatus, undefined]] : [];
      return [[200, { [response.mediaType]: { schema } }], ...empty, ...jsonBodies(response.bodies)];
    }
    case 'sse': {
      // JSON first: generators that support only one media type take the first.
      const jsonContent = response.json && json(response.json);
      const events = { 'text/event-stream': toEventStreamSchema(response.events, schemas) };
      return [[200, { ...jsonContent, ...events }], ...jsonBodies(response.bodies)];
    }
  }
}

const notModified: [number, undefined] = [304, undefined];

const descriptions: Record<number, string> = {
  304: 'The body is still that of the ETag in the header `If-None-Match`',
  302: 'The address is in the header `Location`; most clients follow it and get what is there',
};

const describeSuccess = (status: number, content: Json | undefined, headers: Headers) => ({
  description: descriptions[status] ?? (content ? 'Done' : 'Done; no body'),
  ...((headers.isCounted || headers.takesKey) && { headers: describeHeaders(headers) }),
  ...(content && { content }),
});

type Failing = Pick<AnyEndpoint, 'errors' | 'errorBody' | 'protocolErrors'>;

/** Errors of the gateway alone. */
const onlyGateway = [408, 431];

/**
 * Errors that API Gateway may answer itself, in the form of the service whatever the path is. No 401: endpoints with a form of their
 * own verify the credential in their Lambdas.
 */
const alsoGateway = [403, 413, 429, 500, 504];

function listErrorForms(endpoint: Failing, status: number): z.ZodType[] {
  const { errorBody, protocolErrors } = endpoint;
  const ours = textStatuses.includes(status) ? AccessError : ErrorBody;
  if (onlyGateway.includes(status)) return [ours];
  if (errorBody) return [errorBody.schema, ...(alsoGateway.includes(status) ? [ours] : [])];
  const serviceForms = isOurs(endpoint, status) ? [ours] : [];
  return protocolErrors?.statuses[status] === undefined
    ? serviceForms
    : [protocolErrors.schema, ...serviceForms];
}

/** Whether the service itself returns a status that the endpoint has. */
const isOurs = ({ errors = [], protocolErrors }: Failing, status: number) =>
  protocolErrors?.statuses[status] === undefined || errors.some((each) => each === status);

function toErrorSchema(endpoint: Failing, status: number, schemas: Components): Json {
  const forms = listErrorForms(endpoint, status).map((form) => toOpenapiSchema(form, 'output', schemas));
  const [only = {}, ...others] = forms;
  return others.length === 0 ? only : { anyOf: forms };
}

const describeFailure = (status: number, description: string, isCounted: boolean, schema: Json) => ({
  description,
  ...((isCounted || status === 429) && { headers: rateLimitHeaders }),
  content: { 'application/json': { schema } },
});

export const combineEndpointRequirements = (endpoint: AnyEndpoint): Requirements => {
  const { needs, scope, credential, open } = endpoint;
  return combineRequirements(
    ...Object.values(needs),
    ...(scope === 'none' ? [] : [scope ?? ('rate-limits' as const)]),
    ...(credential ? [credential] : []),
    ...(open === undefined ? [] : ['open-requests' as const]),
    ...(takesIdempotencyKey(endpoint) ? (['table:write'] as const) : []),
    'default-limits',
    'public-url',
    'cors',
  );
};
