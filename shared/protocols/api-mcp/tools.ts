import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { failedResult, textBlock } from '../../adapters/mcp-server/content.ts';
import type { ApiClient } from './api-client.ts';
import { CallArguments, toApiRequest } from './call-operation.ts';
import { description } from './describe.ts';
import type { Operations } from './operations.ts';

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
    return withArguments(SearchArguments, args, ({ query }) => {
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
    return withArguments(DescribeArguments, args, ({ id, schemas }) => {
      const operation = find(id);
      return operation ? result(description(operation, operations, schemas)) : noSuch(id);
    });
  }
  return withArguments(CallArguments, args, async (given) => {
    const operation = find(given.id);
    if (!operation) return noSuch(given.id);
    const request = toApiRequest(operation, given);
    if ('problem' in request) return failedResult(request.problem);
    const sent = await api.send(request, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    if (!sent) return failedResult(tookTooLong);
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
  failedResult(`There is no operation ${id}; search_operations finds those there are`);

async function withArguments<Arguments extends z.ZodType>(
  schema: Arguments,
  args: unknown,
  use: (given: z.output<Arguments>) => Promise<CallToolResult> | CallToolResult,
): Promise<CallToolResult> {
  const { data, error } = schema.safeParse(args);
  if (data === undefined) {
    const [issue] = error?.issues ?? [];
    return failedResult(`${issue?.path.join('.') || 'arguments'}: ${issue?.message}`);
  }
  return use(data);
}
