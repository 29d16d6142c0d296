import type { Tool } from '@modelcontextprotocol/client';
import type { McpSession } from './session.ts';

const pagesMax = 10;

/** The server's tools, those of the first pages. */
export async function listServerTools({ client, options }: McpSession): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, options);
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
