import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { answerApproval } from './answer.ts';
import { callBack } from './call-back.ts';
import { showApproval } from './show.ts';

export const runWaitsGroup = {
  description: 'Where people without an account, and other systems, continue runs that wait for them.',
  endpoints: [showApproval, answerApproval, callBack],
} as const satisfies EndpointGroup;
