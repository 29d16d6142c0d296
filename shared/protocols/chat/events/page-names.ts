import type { ClientTool } from '../../../execution/agent-runs/agent-input.ts';
import { pageToolType } from '../../../execution/tools/call-tool.ts';
import { toToolName } from '../../../execution/tools/tool-name.ts';
import type { StreamEvent } from '../../run-events/stream-event.ts';

/** The tools that a page brought to a run, and the calls of them in its earlier streams. */
export interface PageRunTools {
  tools: readonly ClientTool[] | undefined;
  calls?: readonly string[];
}

/** Names calls as the page does. If the run left out a tool of the page, calls of that name are of the agent's own tool. */
export function openPageNames({ tools = [], calls = [] }: PageRunTools) {
  const pages = new Map(tools.flatMap(({ name, page }) => (page ? [[toToolName(name), page] as const] : [])));
  const ofPage = new Set(calls);
  return {
    /** Call it with every event, also those that the page does not get. */
    note(event: StreamEvent): void {
      if (event.type === 'tool_start' && event.toolType === pageToolType) ofPage.add(event.toolCallId);
    },
    nameCall(toolCallId: string, toolName: string) {
      const page = ofPage.has(toolCallId) ? pages.get(toolName) : undefined;
      const { name = toolName, origin, pageOrigin } = page ?? {};
      return { toolName: name, ...(origin && { origin }), ...(pageOrigin && { pageOrigin }) };
    },
  };
}
export type PageNames = ReturnType<typeof openPageNames>;
