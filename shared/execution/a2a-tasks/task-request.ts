import { toPushBody } from '../../adapters/a2a-server/push-body.ts';
import { pushOpener } from '../../domain/a2a-tasks/push-config-store.ts';
import { a2aTaskEntity } from '../../domain/a2a-tasks/task.ts';
import type { LoadTaskRequest } from '../../domain/deliveries/signed-request.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { taskProgress } from './task-progress.ts';
import { toTaskView } from './task-view.ts';

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
