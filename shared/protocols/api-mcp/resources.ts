import type { ListResourcesResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { invalidMcpCursor, pageAcross } from '../../adapters/mcp-server/pages.ts';
import type { ServedMcp } from '../../adapters/mcp-server/served.ts';
import { urlPart } from '../../core/text.ts';
import type { ApiClient } from './api-client.ts';

type Resources = NonNullable<ServedMcp['resources']>;

const mimeType = 'application/json';
const kinds = { flow: 'flows', agent: 'agents', run: 'runs' } as const;
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as Kind[];

const Page = z.object({
  data: z.array(z.looseObject({ id: z.string(), name: z.string().nullish() })),
  pagination: z.object({ nextCursor: z.string().nullish() }),
});

/** Flows, agents and runs, newest first, as GET returns them. What the caller may not read is left out. */
export function apiResources(api: ApiClient, signal: AbortSignal): Resources {
  async function list(cursor: string | undefined): Promise<ListResourcesResult> {
    const { rows, ...rest } = await pageAcross(kindNames, cursor, async (kind, query) => {
      const { data, pagination } = await readPage(kind as Kind, query);
      const resources = data.map(({ id, name }) => ({ uri: `${kind}:${id}`, name: name || id, mimeType }));
      return { rows: resources, nextCursor: pagination.nextCursor };
    });
    return { resources: rows, ...rest };
  }

  async function readPage(kind: Kind, { limit, cursor }: { limit: number; cursor: string | undefined }) {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor !== undefined && { cursor }) });
    const { status, body } = await api.send({ method: 'GET', path: `/v1/${kinds[kind]}?${query}` }, signal);
    if (status === 400) throw invalidMcpCursor();
    return status === 200 ? Page.parse(body) : { data: [], pagination: { nextCursor: null } };
  }

  async function read(uri: string) {
    const [, kind = '', id = ''] = /^(flow|agent|run):([\w-]+)$/.exec(uri) ?? [];
    if (!id) return undefined;
    const path = `/v1/${kinds[kind as Kind]}/${urlPart(id)}`;
    const { status, body } = await api.send({ method: 'GET', path }, signal);
    if (status !== 200) return undefined;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { contents: [{ uri, mimeType, text }] };
  }

  return { templates: kindNames.map(toTemplate), list, read };
}

const toTemplate = (kind: Kind) => ({
  uriTemplate: `${kind}:{id}`,
  name: kind,
  title: `${kind === 'agent' ? 'An' : 'A'} ${kind} by its id`,
  mimeType,
  description: `What GET /v1/${kinds[kind]}/{id} returns`,
});
