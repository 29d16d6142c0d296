import { randomUUID } from 'node:crypto';
import { isJsonObject } from '../../core/json/json.ts';
import type { EventJson } from '../net/readable-events.ts';
import { rpcError } from '../rpc-error.ts';

/** The request of JSON-RPC that is being answered. */
export interface AskedA2aRequest {
  id?: unknown;
  method?: unknown;
}

/**
 * What agents write otherwise than A2A says, as its SDK reads it, which refuses a whole answer for one member. What carries
 * meaning is read, and the rest is left out. @returns whether it has changed, or `omit` for an event of an unknown kind
 */
export function mendA2aMessage(message: EventJson, { id, method }: AskedA2aRequest): boolean | 'omit' {
  if (!('result' in message || 'error' in message)) return false;
  const before = JSON.stringify(message);
  const isOther = isStated(message.id) && String(message.id) !== String(id);
  if (id !== undefined && !isOther) message.id = id;
  if (isStated(message.error)) message.error = rpcError(message.error);
  // Versions from 1.0 on have methods without a slash, and name what a result is by a member around it.
  else if (String(method).includes('/') && isJsonObject(message.result) && !mendResult(message.result)) {
    return 'omit';
  }
  return JSON.stringify(message) !== before;
}

const kinds = new Set(['message', 'task', 'status-update', 'artifact-update']);

/** @returns whether it is of a known kind */
function mendResult(result: EventJson): boolean {
  result.kind ??= kindOf(result);
  if (!kinds.has(String(result.kind))) return false;
  dropNulls(result);
  if (result.kind === 'message') mendSaid(result);
  if (isJsonObject(result.status)) mendStatus(result.status);
  for (const artifact of [result.artifact, ...listIn(result.artifacts)]) {
    if (isJsonObject(artifact)) mendArtifact(artifact);
  }
  for (const each of listIn(result.history)) if (isJsonObject(each)) mendSaid(each);
  return true;
}

function kindOf({ parts, status, artifact, taskId, id }: EventJson): string | undefined {
  if (parts !== undefined) return 'message';
  if (artifact !== undefined) return 'artifact-update';
  if (status === undefined) return undefined;
  return taskId === undefined && id !== undefined ? 'task' : 'status-update';
}

function mendStatus(status: EventJson): void {
  dropNulls(status);
  if (isJsonObject(status.message)) mendSaid(status.message);
}

function mendSaid(message: EventJson): void {
  dropNulls(message);
  message.kind = 'message';
  message.messageId ??= randomUUID();
  // An agent answers, whatever it calls itself.
  if (message.role !== 'user') message.role = 'agent';
  message.parts = listIn(message.parts).map(partOf);
}

function mendArtifact(artifact: EventJson): void {
  dropNulls(artifact);
  artifact.artifactId ??= 'artifact';
  artifact.parts = listIn(artifact.parts).map(partOf);
}

function partOf(part: unknown): EventJson {
  if (!isJsonObject(part)) return { kind: 'text', text: String(part) };
  dropNulls(part);
  const { kind, type, text, file, data } = part;
  const named = kind ?? type;
  if (typeof text === 'string' && named !== 'file' && named !== 'data') return { ...part, kind: 'text' };
  if (isJsonObject(file)) return { ...part, kind: 'file' };
  return { ...part, kind: 'data', data: isJsonObject(data) ? data : { ...part } };
}

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isStated = (value: unknown) => value !== undefined && value !== null;

function dropNulls(target: EventJson): void {
  for (const [name, value] of Object.entries(target)) if (value === null) delete target[name];
}
