import * as z from 'zod';
import type { McpSession } from './session.ts';

/** More than an agent gets of a server. */
const listedMax = 1_000;

/** Each tool is judged by itself: one that the SDK would refuse costs no other. */
const ToolPage = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/**
 * The server's tools as it describes them: all, or more than can be used. A session refuses a list on too many pages.
 * @param tools Gets them page by page, so that those before a page that cannot be read are there.
 */
export async function listServerTools(
  { client, options }: McpSession,
  tools: unknown[] = [],
): Promise<unknown[]> {
  const cursors = new Set<string | undefined>();
  for (let cursor: string | undefined; ; ) {
    cursors.add(cursor);
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, ToolPage, options);
    tools.push(...answer.tools);
    cursor = answer.nextCursor ?? undefined;
    // The same cursor again leads to tools that were read.
    if (cursor === undefined || cursors.has(cursor) || tools.length > listedMax) return tools;
  }
}
