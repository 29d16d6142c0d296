import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { addA2aPushConfig } from './add-push-config.ts';
import { callA2a } from './call-rpc.ts';
import { getA2aCard } from './card.ts';
import { changeA2aTask } from './change-task.ts';
import { deleteA2aPushConfig } from './delete-push-config.ts';
import { getA2aExtendedCard } from './extended-card.ts';
import { getA2aPushConfig } from './get-push-config.ts';
import { getA2aTask } from './get-task.ts';
import { getA2aKeys } from './keys.ts';
import { listA2aPushConfigs } from './list-push-configs.ts';
import { listA2aTasks } from './list-tasks.ts';
import { sendA2aMessage } from './send-message.ts';

export const surfaceA2aGroup = {
  description: 'Offer what a product exposes as skills of an A2A agent.',
  endpoints: [
    callA2a,
    sendA2aMessage,
    listA2aTasks,
    getA2aTask,
    changeA2aTask,
    addA2aPushConfig,
    listA2aPushConfigs,
    getA2aPushConfig,
    deleteA2aPushConfig,
    getA2aCard,
    getA2aExtendedCard,
    getA2aKeys,
  ],
} as const satisfies EndpointGroup;
