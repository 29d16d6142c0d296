import * as z from 'zod';
import { toPushBody } from '../../adapters/a2a-server/push-body.ts';
import type { ServedMessage, ServedStatus, ServedTask } from '../../adapters/a2a-server/served-agent.ts';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import { pushOpener } from '../../domain/a2a-tasks/push-config-store.ts';
import { type A2aTask, a2aTaskEntity } from '../../domain/a2a-tasks/task.ts';
import type { ReceivedMessage } from '../../domain/a2a-tasks/task-messages.ts';
import type { LoadTaskRequest } from '../../domain/deliveries/signed-request.ts';
import { AssetOutput } from '../../domain/flows/step-types/store-asset.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type TaskProgress, type TaskWait, taskProgress } from './task-progress.ts';

export function toTaskView(
  task: A2aTask,
  progress: TaskProgress,
  messages: readonly ReceivedMessage[],
): ServedTask {
  return {
    id: task.id,
    contextId: task.contextId,
    status: toTaskStatus(task, progress),
    output: progress.state === 'completed' ? toOutputParts(progress.output) : [],
    history: messages.map((message): ServedMessage => ({ ...message, role: 'user' })),
  };
}

export function toTaskStatus(task: A2aTask, progress: TaskProgress): ServedStatus {
  const { state, at } = progress;
  const say = (parts: A2aPart[]): ServedStatus => {
    return { state, at, message: { id: `${task.id}-${state}`, role: 'agent', parts } };
  };
  if (progress.state === 'input-required') return say(toQuestionParts(progress.waits));
  if (progress.state === 'working' && progress.isHeld) return say([{ text: held }]);
  if (progress.state !== 'failed') return { state, at };
  return say([{ text: task.hidesReasons ? 'The run failed' : (progress.error ?? 'The run failed') }]);
}

const held = 'The task waits for an approval by the operator of the agent, and then continues.';

/** What the caller is asked: in words, and as data that says how to answer. */
function toQuestionParts(waits: readonly TaskWait[]): A2aPart[] {
  const words = waits.map(({ kind, toolName }) =>
    kind === 'output'
      ? `Execute ${toolName} and send its output.`
      : `Approve or deny the call of the tool ${toTitle(toolName)}.`,
  );
  const calls = waits.map(({ kind, callId, approvalId, toolName, parameters }) =>
    kind === 'output'
      ? { type: 'tool', toolCallId: callId, toolName, parameters }
      : { type: 'approval', approvalId, title: toTitle(toolName) },
  );
  return [{ text: words.join(' ') }, { data: { inputRequired: calls } }];
}

/** The name of a tool in words: names and arguments are internal to the tenant. */
function toTitle(toolName: string): string {
  const words = toolName.split(/[_-]+/).filter(Boolean).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A stored file is a file, and so is content as MCP has it. Texts are text, and all other values are data. */
export function toOutputParts(output: unknown): A2aPart[] {
  if (output === null || output === undefined || output === '') return [];
  if (typeof output === 'string') return [{ text: output }];
  return findFiles(output) ?? [{ data: output }];
}

function findFiles(output: unknown): A2aPart[] | undefined {
  const { data: file } = StoredFile.safeParse(output);
  if (file) return [{ url: file.url, mediaType: file.contentType, filename: file.filename }];
  const { content, structuredContent: data } = Contents.safeParse(output).data ?? {};
  return content && [...content, ...(data ? [{ data }] : [])];
}

const Link = z.string().regex(/^https?:\/\//i);
const StoredFile = AssetOutput.extend({ url: Link }).strict();

const mimeType = z.string().optional();
const Bytes = z.base64();

/** A content block of MCP, as the part that has the same. */
const Block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }).transform(({ text }): A2aPart => ({ text })),
  z
    .object({ type: z.enum(['image', 'audio']), data: Bytes, mimeType: z.string() })
    .transform(({ data: bytes, mimeType: mediaType }): A2aPart => ({ bytes, mediaType, filename: '' })),
  z
    .object({ type: z.literal('resource_link'), uri: Link, name: z.string(), mimeType })
    .transform(({ uri: url, name: filename, mimeType: mediaType = '' }): A2aPart => {
      return { url, mediaType, filename };
    }),
  z
    .object({ type: z.literal('resource'), resource: z.object({ blob: Bytes, uri: z.string(), mimeType }) })
    .transform(({ resource: { blob: bytes, uri, mimeType: mediaType = '' } }): A2aPart => {
      return { bytes, mediaType, filename: getFileName(uri) };
    }),
  z
    .object({
      type: z.literal('resource'),
      resource: z.object({ text: z.string(), uri: z.string(), mimeType }),
    })
    .transform(({ resource: { text, uri, mimeType: mediaType = 'text/plain' } }): A2aPart => {
      return { bytes: Buffer.from(text).toString('base64'), mediaType, filename: getFileName(uri) };
    }),
]);

/** What an mcp surface passes on as a result, too. */
const Contents = z.strictObject({
  content: z.array(Block).min(1),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});

const getFileName = (uri: string) => uri.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';

/** What the caller of a task is sent, as the task stands now: what the caller would get by asking. */
export const taskRequests = /* @__PURE__ */ using(
  ['table:write', taskProgress, pushOpener],
  (scope: Scope): LoadTaskRequest =>
    async ({ id, surfaceId, taskId = '', configId = '', type }) => {
      const task = await scope.table.get(a2aTaskEntity, { surfaceId, id: taskId }, { consistent: true });
      const config = task?.pushConfigs?.find((each) => each.id === configId);
      if (!task || !config) return undefined;
      const progress = await taskProgress(scope)(task);
      const isAsking = progress.state === 'input-required';
      if (type === 'task.input-required' && !isAsking) return undefined;
      // Its process crashed in the first step: the task fails when its lease is over.
      const isOpen = progress.state === 'working' || isAsking;
      if (type === 'task.ended' && isOpen) return { error: 'The task has not ended yet' };
      const secrets = await pushOpener(scope)({ taskId, configId }, config.sealed);
      if (!secrets) return { error: 'The secrets of the receiver cannot be read' };
      const { contentType, body } = await toPushBody(toTaskView(task, progress, []), config.version);
      const headers = {
        'content-type': contentType,
        'webhook-id': id,
        ...(secrets.token && { 'x-a2a-notification-token': secrets.token }),
        ...(config.scheme && { authorization: `${config.scheme} ${secrets.credentials}` }),
      };
      return { url: config.url, headers, body };
    },
);
