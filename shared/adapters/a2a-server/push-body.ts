import type { PushReceiver, ServedTask } from './served-agent.ts';
import { eventOf, taskOf } from './to-wire.ts';

const taskBytesMax = 200_000;

export interface PushBody {
  contentType: string;
  body: string;
}

/**
 * What a receiver is told: in 1.0 a `StreamResponse` with the task, in 0.3 the task, without its messages. If its answer
 * is large, only how the task stands: the receiver can get the rest.
 */
export async function pushBodyOf(task: ServedTask, version: PushReceiver['version']): Promise<PushBody> {
  const isLarge = Buffer.byteLength(JSON.stringify(task.output)) > taskBytesMax;
  const sent = isLarge ? { ...task, output: [] } : task;
  if (version === '1.0') {
    const { StreamResponse } = await import('@a2a-js/sdk');
    const event = isLarge
      ? eventOf({ type: 'status', status: task.status }, task)
      : eventOf({ type: 'task', task: sent }, task, 0);
    return { contentType: 'application/a2a+json', body: JSON.stringify(StreamResponse.toJSON(event)) };
  }
  const { V03PushNotificationSerializer } = await import('@a2a-js/sdk/compat/v0_3/server');
  const event = eventOf({ type: 'task', task: sent }, task, 0);
  const { body } = new V03PushNotificationSerializer().serialize(event, taskOf(sent, 0));
  return { contentType: 'application/json', body: String(body) };
}
