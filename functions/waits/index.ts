import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { answerWait } from './answer.ts';
import { answerWaitsTogether } from './answer-many.ts';
import { claimWait } from './claim.ts';
import { listWaits } from './list.ts';
import { reassignWait } from './reassign.ts';
import { releaseWait } from './release.ts';
import { remindWait } from './remind.ts';

export const waitsGroup = {
  description: 'The inbox: what runs wait for, and who works on it.',
  endpoints: [listWaits, answerWaitsTogether, claimWait, releaseWait, reassignWait, remindWait, answerWait],
} as const satisfies EndpointGroup;
