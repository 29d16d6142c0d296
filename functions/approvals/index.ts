import type { Group } from '../../shared/platform/http/group.ts';
import { answerApproval } from './answer.ts';
import { showApproval } from './show.ts';

export const approvalsGroup = {
  description: 'The page of an approval link, for people without an account.',
  endpoints: [showApproval, answerApproval],
} as const satisfies Group;
