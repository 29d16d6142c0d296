import { randomUUID } from 'node:crypto';
import { isStated } from '../../core/defined.ts';
import { isJsonObject } from '../../core/json/json.ts';
import type { EventJson } from '../net/readable-events.ts';
import { dropNulls, mendAnswer } from '../rpc-messages.ts';

/** The request of JSON-RPC that is being answered. */
export interface AskedA2aRequest {
  id?: unknown;
  method?: unknown;
}

/**
 * What agents write otherwise than A2A says, as its SDK reads it, which refuses a whole answer for one member. What carries
 * meaning is read, and the rest is left out. @returns whether it may have changed, or `omit` for an event of an unknown kind
 */
export function mendA2aMessage(message: EventJson, { id, method }: AskedA2aRequest): boolean | 'omit' {
  if (!('result' in message || 'error' in message)) return false;
  mendAnswer(message, id);
  if (isStated(message.error)) return true;
  // Versions from 1.0 on have methods without a slash, and name what a result is by a member around it.
  const isNamed = String(method).includes('/') && isJsonObject(message.result);
  return !isNamed || mendResult(message.result as EventJson) || 'omit';
}

const kinds = new Set(['message', 'task', 'status-update', 'artifact-update']);

/** @returns whether it is of a known kind */
function mendResult(result: EventJson): boolean {
  result.kind ??= inferKind(result);
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

function inferKind({ parts, status, artifact, taskId, id }: EventJson): string | undefined {
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
  message.parts = listIn(message.parts).map(mendPart);
}

function mendArtifact(artifact: EventJson): void {
  dropNulls(artifact);
  artifact.artifactId ??= 'artifact';
  artifact.parts = listIn(artifact.parts).map(mendPart);
}

function mendPart(part: unknown): EventJson {
  if (!isJsonObject(part)) return { kind: 'text', text: String(part) };
  dropNulls(part);
  const { kind, type, text, file, data } = part;
  const named = kind ?? type;
  if (typeof text === 'string' && named !== 'file' && named !== 'data') return { ...part, kind: 'text' };
  if (isJsonObject(file)) return { ...part, kind: 'file' };
  return { ...part, kind: 'data', data: isJsonObject(data) ? data : { ...part } };
}

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
