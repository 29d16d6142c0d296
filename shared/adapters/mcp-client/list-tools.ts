import type { Tool } from '@modelcontextprotocol/client';
import type { McpSession } from './session.ts';

/** More than an agent gets of a server. */
const listedMax = 1_000;

/** The server's tools: all, or more than can be used. A session refuses a list on too many pages, as any further request. */
export async function listServerTools({ client, options }: McpSession): Promise<Tool[]> {
  const tools: Tool[] = [];
  const cursors = new Set<string | undefined>();
  for (let cursor: string | undefined; ; ) {
    cursors.add(cursor);
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, options);
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    // The same cursor again leads to tools that were read.
    if (cursor === undefined || cursors.has(cursor) || tools.length > listedMax) return tools;
  }
}
