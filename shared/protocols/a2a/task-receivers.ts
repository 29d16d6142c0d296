import type { ServedAgent } from '../../adapters/a2a-server/served-agent.ts';
import { pushConfigStore } from '../../domain/a2a-tasks/push-config-store.ts';
import type { TaskOwner } from '../../domain/a2a-tasks/task-store.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { notifyIfOver } from './task-progress.ts';

export function taskReceivers(
  scope: Scope,
  owner: TaskOwner,
): Pick<ServedAgent, 'addReceiver' | 'receivers' | 'receiver' | 'removeReceiver'> {
  const configs = pushConfigStore(scope);

  return {
    async addReceiver(taskId, receiver) {
      const config = await configs.seal(taskId, receiver);
      await notifyIfOver(scope, await configs.add(owner, taskId, config));
      return config;
    },
    receivers: (taskId) => configs.list(owner, taskId),
    receiver: (taskId, id) => configs.get(owner, taskId, id),
    removeReceiver: (taskId, id) => configs.remove(owner, taskId, id),
  };
}
