import type { Client, ContentBlock } from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import { unmarked } from '../../core/json/exact-json.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import type { McpOutcome } from '../ports/mcp-port.ts';

export type McpCallResult = Awaited<ReturnType<Client['callTool']>>;

/** The structured content if there is any, else the texts, joined, else all contents. @throws StepError */
export function toMcpOutcome({ content, structuredContent, isError }: McpCallResult): McpOutcome {
  if (isError)
    return { failure: textIn(content) || (structuredContent ? JSON.stringify(structuredContent) : '') };
  if (isDeeperThan(nestingLevelsMax, structuredContent)) {
    throw new StepError(`The result is nested more than ${nestingLevelsMax} levels deep`);
  }
  if (structuredContent !== undefined) return { output: unmarked(structuredContent) };
  const isText = content.every(({ type }) => type === 'text');
  return { output: isText ? textIn(content) : content.map(partOf) };
}

/** Servers of the SDK answer so for a tool that they do not have, and for one that they switched off. */
export const isMissingTool = ({ isError, content }: McpCallResult) =>
  isError === true && /\b(?:not found|unknown|disabled|no such)\b/i.test(textIn(content));

const textIn = (content: readonly ContentBlock[]) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

/** A content without what only concerns user interfaces. */
function partOf(block: ContentBlock): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: block.type, mimeType: block.mimeType, data: block.data };
    case 'resource': {
      const { uri, mimeType, ...rest } = block.resource;
      const content = 'text' in rest ? { text: rest.text } : { data: rest.blob };
      return { type: 'resource', uri, ...(mimeType !== undefined && { mimeType }), ...content };
    }
    case 'resource_link': {
      const { type, uri, name, mimeType } = block;
      return { type, uri, name, ...(mimeType !== undefined && { mimeType }) };
    }
  }
}
