import type { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { PushReceiver, ServedAgent, ShownReceiver } from './served-agent.ts';

type Guarded = <T>(work: () => Promise<T>) => Promise<T>;
type Methods = Pick<
  A2ARequestHandler,
  | 'createTaskPushNotificationConfig'
  | 'getTaskPushNotificationConfig'
  | 'listTaskPushNotificationConfigs'
  | 'deleteTaskPushNotificationConfig'
>;

export const receiverIn = (
  { id, url, token, authentication }: TaskPushNotificationConfig,
  version: PushReceiver['version'],
): PushReceiver => ({ id, url: url ?? '', token, authentication, version });

/** Leaves out the secrets, which only the receiver gets. */
const shown = (taskId: string, { id, url, scheme }: ShownReceiver): TaskPushNotificationConfig => ({
  tenant: '',
  id,
  taskId,
  url,
  token: '',
  authentication: scheme === null ? undefined : { scheme, credentials: '' },
});

/** The operations on the push notification configs of a task. In 0.3 one without an id has that of its task. */
export const receiverMethods = (
  agent: ServedAgent,
  guarded: Guarded,
  version: PushReceiver['version'],
): Methods => ({
  createTaskPushNotificationConfig: (config) =>
    guarded(async () =>
      shown(config.taskId, await agent.addReceiver(config.taskId, receiverIn(config, version))),
    ),
  getTaskPushNotificationConfig: ({ taskId, id }) =>
    guarded(async () => shown(taskId, await agent.receiver(taskId, id || taskId))),
  listTaskPushNotificationConfigs: ({ taskId }) =>
    guarded(async () => {
      const all = await agent.receivers(taskId);
      return { configs: all.map((receiver) => shown(taskId, receiver)), nextPageToken: '' };
    }),
  deleteTaskPushNotificationConfig: ({ taskId, id }) => guarded(() => agent.removeReceiver(taskId, id)),
});
