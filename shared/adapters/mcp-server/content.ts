import {
  type CallToolResult,
  type ContentBlock,
  isSpecType,
  type PromptMessage,
} from '@modelcontextprotocol/server';

type Members = Record<string, unknown>;

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text });

/** What a model reads and corrects itself by. */
export const toFailedResult = (words: string): CallToolResult => ({
  content: [textBlock(words)],
  isError: true,
});

export const contentText = (value: unknown) =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that is a result of the protocol already: content blocks, and nothing else but structured content. */
export function findToolResult(value: unknown): CallToolResult | undefined {
  if (!isMembers(value)) return undefined;
  const { content, structuredContent, ...others } = value;
  const isResult =
    Object.keys(others).length === 0 &&
    isBlocks(content) &&
    (structuredContent === undefined || isMembers(structuredContent));
  return isResult ? { content, ...(structuredContent !== undefined && { structuredContent }) } : undefined;
}

const isBlocks = (value: unknown): value is ContentBlock[] =>
  Array.isArray(value) && value.length > 0 && value.every(isSpecType.ContentBlock);

/** The messages of a prompt: those of `{ messages }`, whose contents may be plain texts, else one with the text. */
export function toPromptMessages(value: unknown): PromptMessage[] {
  const messages = isMembers(value) ? parseMessages(value) : undefined;
  return messages ?? [{ role: 'user', content: textBlock(contentText(value)) }];
}

function parseMessages({ messages, ...others }: Members): PromptMessage[] | undefined {
  if (!Array.isArray(messages) || messages.length === 0 || Object.keys(others).length > 0) return undefined;
  const whole = messages.map((message) =>
    isMembers(message) && typeof message.content === 'string'
      ? { ...message, content: textBlock(message.content) }
      : message,
  );
  return whole.every(isSpecType.PromptMessage) ? whole : undefined;
}
