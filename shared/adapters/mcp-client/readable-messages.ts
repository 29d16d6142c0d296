import { isStated } from '../../core/defined.ts';
import { isJsonObject } from '../../core/json/json.ts';
import type { EventJson } from '../net/readable-events.ts';
import { dropNulls, mendAnswer } from '../rpc-messages.ts';

/** The request that is being answered. */
export interface AskedMcpRequest {
  method?: string | undefined;
  id?: string | number | undefined;
}

/**
 * What MCP servers write otherwise than the protocol says, as the SDK reads it, which refuses a whole answer for one member of
 * another type. What carries meaning is read, and the rest is left out.
 * @returns whether it may have changed
 */
export function mendMcpMessage(message: EventJson, asked: AskedMcpRequest): boolean {
  if ('method' in message || !('result' in message || 'error' in message)) return false;
  mendAnswer(message, asked.id);
  if (!isStated(message.error)) delete message.error;
  if (isJsonObject(message.result)) menders[asked.method ?? '']?.(message.result);
  return true;
}

const menders: Record<string, (result: EventJson) => void> = {
  initialize(result) {
    dropNulls(result);
    if (!isJsonObject(result.capabilities)) result.capabilities = {};
    for (const each of [result.capabilities, ...Object.values(result.capabilities as EventJson)]) {
      if (isJsonObject(each)) dropNulls(each);
    }
    const { name, version, ...more } = isJsonObject(result.serverInfo) ? result.serverInfo : {};
    result.serverInfo = { ...more, name: textOf(name), version: textOf(version) };
  },
  'tools/list'(result) {
    if (typeof result.nextCursor === 'number') result.nextCursor = String(result.nextCursor);
  },
  'tools/call'(result) {
    dropNulls(result);
    const { content = result.toolResult } = result;
    const blocks = Array.isArray(content) ? content : isStated(content) ? [content] : [];
    result.content = blocks.map(blockOf);
  },
};

/** A block that no client knows is shown to the model as it is. */
function blockOf(block: unknown): EventJson {
  if (!isJsonObject(block)) return textBlock(block);
  dropNulls(block);
  const { type, text, data, mimeType, resource, uri, name } = block;
  switch (type) {
    case 'text':
      return typeof text === 'string' ? block : { ...block, text: textOf(text) };
    case 'image':
    case 'audio':
      if (typeof data !== 'string') return textBlock(block);
      return { ...block, mimeType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream' };
    case 'resource':
      if (!isJsonObject(resource)) return textBlock(block);
      dropNulls(resource);
      return typeof resource.uri === 'string' && (isText(resource.text) || isText(resource.blob))
        ? block
        : textBlock(block);
    case 'resource_link':
      return isText(uri) ? { ...block, name: isText(name) ? name : uri } : textBlock(block);
    default:
      return textBlock(typeof text === 'string' ? text : block);
  }
}

const textBlock = (value: unknown): EventJson => ({ type: 'text', text: textOf(value) });

const isText = (value: unknown): value is string => typeof value === 'string';

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : isStated(value) ? JSON.stringify(value) : '';
