import { A2aRefusal } from '../../adapters/a2a-server/served-agent.ts';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { TaskOwner } from '../../domain/a2a-tasks/task-store.ts';
import type { ContentPart, Message } from '../../domain/conversations/message.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import type { Principal } from '../../platform/identity/principal.ts';

type Members = Record<string, unknown>;

/** The members of data parts; the text is the parameter `message`, or the only missing text. */
export function taskParameters(
  schema: Members | null,
  parts: readonly A2aPart[],
  takesFiles: boolean,
): Members {
  if (!takesFiles && parts.some((part) => 'url' in part || 'bytes' in part)) {
    throw new A2aRefusal('content-type', 'The skill takes text and data, and no files');
  }
  const data = parts.flatMap((part) => ('data' in part ? [toMembers(part.data)] : []));
  const dataMembers: Members = Object.assign({}, ...data);
  const text = textOfParts(parts);
  if (text === '') return dataMembers;
  const name = findTextParameter(schema, dataMembers);
  if (name === undefined) {
    const names = Object.keys(getProperties(schema)).join(', ');
    throw new A2aRefusal(
      'malformed',
      `The skill takes no text. Send a data part with its parameters: ${names || 'none'}`,
    );
  }
  return { ...dataMembers, [name]: text };
}

function toMembers(data: unknown): Members {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Members;
  throw new A2aRefusal('malformed', 'A data part must be an object: its members are parameters of the skill');
}

const getProperties = (schema: Members | null) =>
  (schema?.properties ?? {}) as Record<string, { type?: unknown }>;

function findTextParameter(schema: Members | null, dataMembers: Members): string | undefined {
  const properties = getProperties(schema);
  if (!schema || Object.keys(properties).length === 0 || 'message' in properties) return 'message';
  const free = Object.entries(properties).filter(
    ([name, { type }]) => !(name in dataMembers) && (type === undefined || type === 'string'),
  );
  const { required = [] } = schema as { required?: string[] };
  const wanted = free.filter(([name]) => required.includes(name));
  const only = wanted.length > 0 ? wanted : free;
  return only.length === 1 ? only[0]?.[0] : undefined;
}

export const textOfParts = (parts: readonly A2aPart[]) =>
  parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');

export const userMessage = (parts: readonly A2aPart[]): Message => ({
  role: 'user',
  content: parts.every((part) => 'text' in part) ? textOfParts(parts) : parts.map(toContentPart),
});

function toContentPart(part: A2aPart): ContentPart {
  if ('text' in part) return { type: 'text', text: part.text };
  if ('data' in part) return { type: 'text', text: JSON.stringify(part.data) };
  const source = 'url' in part ? part.url : part.bytes;
  const mimeType = part.mediaType || 'application/octet-stream';
  if (mimeType.startsWith('image/')) return { type: 'image', image: source, mimeType };
  return { type: 'file', data: source, filename: part.filename || 'file', mimeType };
}

export const a2aPath = '/v1/products/{id}/surfaces/{surfaceId}/a2a';

export const surfaceA2aPath = ({ id, surfaceId }: { id: string; surfaceId: string }) =>
  `/v1/products/${id}/surfaces/${surfaceId}/a2a`;

/** The header by which clients select a version of the protocol. */
export const a2aHeaders = ['A2A-Version'] as const;

/** Below the path of the agent: the public keys of its card. */
export const keysPath = '/.well-known/jwks.json';

export interface A2aCall {
  principal: Principal;
  /** Whose tasks the caller sees: those of the same key of the surface, or of the same user. */
  owner: TaskOwner;
  /** What the caller may run. */
  items: readonly ExposedItem[];
  /** How many runs are above those that it starts. */
  depth: number;
  requestId: string;
  timeLeftMs: number;
  /** Aborted when the caller is gone, or this process must end. */
  signal: AbortSignal;
}
