/**
 * The three MCP tools by which a model uses the whole API: search, describe and call an operation.
 * A call is checked against the operation's parameters and becomes an HTTP request, which the API itself checks and
 * authorises (`api-client.ts`). Mistakes are results with what to correct, never errors of the protocol; a response that was
 * too long or too slow is named as such. Descriptions are cut to a number of characters, and name the schemas left out.
 * `functions/api-mcp` serves them; `operations.ts` reads the API document.
 */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { textBlock, toFailedResult } from '../../adapters/mcp-server/content.ts';
import { urlPart } from '../../core/text.ts';
import { IdempotencyHeaders } from '../../platform/http/idempotency-key.ts';
import type { ApiClient, ApiRequest } from './api-client.ts';
import type { ApiOperation, Operations } from './operations.ts';

const SearchArguments = z.strictObject({ query: z.string().min(1).max(500) });
const DescribeArguments = z.strictObject({
  id: z.string(),
  schemas: z.array(z.string()).max(20).optional(),
});

const texts = { type: 'string' } as const;

export const apiTools: Tool[] = [
  {
    name: 'search_operations',
    description:
      'Finds operations of the API of this automation service (flows, agents, records, products, runs, …) by words. Begin here: "create flow", "list runs", "publish".',
    inputSchema: { type: 'object', properties: { query: texts }, required: ['query'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'describe_operation',
    description:
      'Says how an operation is called: its path, query and body as JSON Schemas, what it returns, and whether it deletes (`destructive`). Schemas that had no room are named in `moreSchemas`; ask for them with `schemas`.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { ...texts, description: 'Such as flows.create' },
        schemas: { type: 'array', items: texts, description: 'Names of schemas to describe' },
      },
      required: ['id'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'call_operation',
    description:
      'Calls an operation, with the permissions of your credential. The result has the HTTP status and the body; errors say which member is wrong and why. To run a flow and get its result in one piece, send options.streamResponse false.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { ...texts, description: 'Such as flows.create' },
        path: { type: 'object', description: 'The parameters in the path' },
        query: { type: 'object', description: 'The parameters of the query' },
        body: { description: 'The body, as JSON' },
        idempotencyKey: {
          ...texts,
          description: 'For a POST: the same key and call do nothing again, for 24 hours',
        },
      },
      required: ['id'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
];

interface World {
  operations: Operations;
  api: ApiClient;
}

/** Mistakes are results, so that a model reads them and corrects itself. */
export async function callApiTool(
  { operations, api }: World,
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<CallToolResult> {
  if (name === 'search_operations') {
    return runWithArguments(SearchArguments, args, ({ query }) => {
      const found = operations.search(query);
      const shown = found.map(({ id, method, path, summary, destructive }) => ({
        id,
        request: `${method} ${path}`,
        summary,
        ...(destructive && { destructive }),
      }));
      return result({ operations: shown });
    });
  }
  const find = (id: string) => operations.byId.get(id);
  if (name === 'describe_operation') {
    return runWithArguments(DescribeArguments, args, ({ id, schemas }) => {
      const operation = find(id);
      return operation ? result(describeOperation(operation, operations, schemas)) : noSuch(id);
    });
  }
  return runWithArguments(CallArguments, args, async (callArguments) => {
    const operation = find(callArguments.id);
    if (!operation) return noSuch(callArguments.id);
    const request = toApiRequest(operation, callArguments);
    if ('problem' in request) return toFailedResult(request.problem);
    const sent = await api.send(request, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    if (!sent) return toFailedResult(tookTooLong);
    const { status, body, isCut } = sent;
    const answer = { status, body, ...(isCut && { note: tooLong }) };
    return { ...result(answer), ...(status >= 400 && { isError: true }) };
  });
}

const tookTooLong =
  'The call took longer than this server waits; what it began may go on. Look for it, for example with runs.list';
const tooLong = 'The response was longer and is cut; ask for less, for example with a limit or a filter';

const result = (value: Record<string, unknown>): CallToolResult => ({
  content: [textBlock(JSON.stringify(value))],
  structuredContent: value,
});

const noSuch = (id: string) =>
  toFailedResult(`There is no operation ${id}; search_operations finds those there are`);

async function runWithArguments<Arguments extends z.ZodType>(
  schema: Arguments,
  args: unknown,
  use: (parsed: z.output<Arguments>) => Promise<CallToolResult> | CallToolResult,
): Promise<CallToolResult> {
  const { data, error } = schema.safeParse(args);
  if (data === undefined) {
    const [issue] = error?.issues ?? [];
    return toFailedResult(`${issue?.path.join('.') || 'arguments'}: ${issue?.message}`);
  }
  return use(data);
}

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const CallArguments = z.strictObject({
  id: z.string(),
  path: z.record(z.string(), Scalar).optional(),
  query: z.record(z.string(), z.union([Scalar, z.array(Scalar)])).optional(),
  body: z.unknown().optional(),
  idempotencyKey: IdempotencyHeaders.shape['Idempotency-Key'],
});
type CallArguments = z.infer<typeof CallArguments>;

/** The request of a call. The API checks the values; what has no place in the request is refused here. */
function toApiRequest(
  { id, method, path, parameters, requestBody }: ApiOperation,
  callArguments: CallArguments,
): ApiRequest | { problem: string } {
  const listParameterNames = (place: 'path' | 'query') =>
    parameters.filter((each) => each.in === place).map(({ name }) => name);
  for (const place of ['path', 'query'] as const) {
    const allowed = listParameterNames(place);
    const unknown = Object.keys(callArguments[place] ?? {}).find((name) => !allowed.includes(name));
    if (unknown !== undefined) return { problem: describeUnknown(id, `${place}.${unknown}`, allowed) };
  }
  const missing = listParameterNames('path').find((name) => (callArguments.path?.[name] ?? '') === '');
  if (missing !== undefined) return { problem: `Required: path.${missing}` };
  const leaving = listParameterNames('path').find((name) =>
    /^\.\.?$/.test(String(callArguments.path?.[name])),
  );
  if (leaving !== undefined) return { problem: `path.${leaving} may not be . or ..` };
  const broken = [...listTexts(callArguments.path, 'path'), ...listTexts(callArguments.query, 'query')].find(
    ([, text]) => !text.isWellFormed(),
  );
  if (broken) return { problem: `${broken[0]} is no well-formed Unicode: half of a pair of surrogates` };
  const types = Object.keys(requestBody?.content ?? {});
  // As over HTTP, an empty object is no body.
  const body = types.length === 0 && isEmptyObject(callArguments.body) ? undefined : callArguments.body;
  if (body !== undefined && types.length === 0) return { problem: `${id} takes no body` };
  if (types.includes('multipart/form-data')) {
    return { problem: `${id} takes files, which this tool cannot send; use another operation` };
  }
  const filled = path.replaceAll(/\{(\w+)\+?\}/g, (_all, name: string) =>
    urlPart(String(callArguments.path?.[name])),
  );
  const query = new URLSearchParams(
    Object.entries(callArguments.query ?? {}).map(([name, value]) => [name, [value].flat().join(',')]),
  );
  return {
    method,
    path: query.size > 0 ? `${filled}?${query}` : filled,
    ...(body !== undefined && { body }),
    idempotencyKey: callArguments.idempotencyKey,
  };
}

const isEmptyObject = (value: unknown) => JSON.stringify(value) === '{}';

const describeUnknown = (id: string, name: string, allowed: readonly string[]) =>
  `${id} has no ${name}; ${allowed.length > 0 ? `it has ${allowed.join(', ')}` : 'it has none'}`;

/** Each value as a text, with its place. */
const listTexts = (values: CallArguments['query'], place: string) =>
  Object.entries(values ?? {}).flatMap(([name, value]) =>
    [value].flat().map((each) => [`${place}.${name}`, String(each)] as const),
  );

type Json = Record<string, unknown>;

/** A description has room for so much; further schemas are named, and can be asked for. */
const schemaCharactersMax = 24_000;

/** What a model needs to call an operation. @param wanted Names of schemas to describe instead of those that it names first */
function describeOperation(
  operation: ApiOperation,
  { schemas }: Pick<Operations, 'schemas'>,
  wanted: readonly string[] = [],
): Json {
  const { id, method, path, summary, description: about, destructive, requestBody } = operation;
  const [mediaType] = Object.keys(requestBody?.content ?? {});
  const content = requestBody?.content[mediaType ?? ''];
  const response = getReturnedSchema(operation);
  const shown = wanted.length > 0 ? wanted : findSchemaNames([content?.schema, response]);
  return {
    id,
    request: `${method} ${path}`,
    summary,
    description: about,
    destructive,
    ...parameters(operation, 'path'),
    ...parameters(operation, 'query'),
    ...(content !== undefined && { body: content.schema, bodyRequired: requestBody?.required }),
    ...(mediaType === 'multipart/form-data' && {
      note: 'This operation takes files, which call_operation cannot send',
    }),
    ...(response !== undefined && { returns: response }),
    ...selectSchemas(shown, schemas),
  };
}

function parameters({ parameters: all }: ApiOperation, place: 'path' | 'query'): Json {
  const those = all.filter((each) => each.in === place);
  if (those.length === 0) return {};
  const shown = those.map(({ name, required, description: about, schema }) => [
    name,
    { ...schema, ...(about && { description: about }), ...(place === 'query' && required && { required }) },
  ]);
  return { [place]: Object.fromEntries(shown) };
}

/** The schema of what a successful call returns. */
function getReturnedSchema({ responses }: ApiOperation): unknown {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const content = (success?.content ?? {}) as Record<string, { schema?: unknown }>;
  return content['application/json']?.schema;
}

/** The schemas with these names, and those that they name, as far as there is room. */
function selectSchemas(names: readonly string[], schemas: Operations['schemas']): Json {
  const shown: Json = {};
  const left = [...names];
  const more: string[] = [];
  let characters = 0;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (!schema || Object.hasOwn(shown, name) || more.includes(name)) continue;
    const length = JSON.stringify(schema).length;
    if (characters + length > schemaCharactersMax) {
      more.push(name);
      continue;
    }
    characters += length;
    shown[name] = schema;
    left.push(...findSchemaNames(schema));
  }
  return {
    ...(Object.keys(shown).length > 0 && { schemas: shown }),
    ...(more.length > 0 && { moreSchemas: more }),
  };
}

function findSchemaNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member.split('/').at(-1) ?? ''] : findSchemaNames(member),
  );
}
