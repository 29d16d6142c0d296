import type { PushReceiver, ServedTask } from './served-agent.ts';
import { toStreamResponse, toTask } from './to-wire.ts';

const taskBytesMax = 200_000;

export interface PushBody {
  contentType: string;
  body: string;
}

/** 1.0: a `StreamResponse`; 0.3: the task without messages. If the answer is large, only the status. */
export async function toPushBody(task: ServedTask, version: PushReceiver['version']): Promise<PushBody> {
  const isLarge = Buffer.byteLength(JSON.stringify(task.output)) > taskBytesMax;
  const sent = isLarge ? { ...task, output: [] } : task;
  if (version === '1.0') {
    const { StreamResponse } = await import('@a2a-js/sdk');
    const event = isLarge
      ? toStreamResponse({ type: 'status', status: task.status }, task)
      : toStreamResponse({ type: 'task', task: sent }, task, 0);
    return { contentType: 'application/a2a+json', body: JSON.stringify(StreamResponse.toJSON(event)) };
  }
  const { V03PushNotificationSerializer } = await import('@a2a-js/sdk/compat/v0_3/server');
  const event = toStreamResponse({ type: 'task', task: sent }, task, 0);
  const { body } = new V03PushNotificationSerializer().serialize(event, toTask(sent, 0));
  return { contentType: 'application/json', body: String(body) };
}
