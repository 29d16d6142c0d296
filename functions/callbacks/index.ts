import type { Group } from '../../shared/platform/http/group.ts';
import { receiveCallback } from './receive.ts';

export const callbacksGroup = {
  description: 'Where other systems continue runs that wait for them.',
  endpoints: [receiveCallback],
} as const satisfies Group;
