import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { answerRun } from './answer.ts';
import { cancelRun } from './cancel.ts';
import { getRun } from './get.ts';
import { listRuns } from './list.ts';
import { getRunTrace } from './trace.ts';

export const runsGroup = {
  description: 'Runs of batches, flows, agents and tools in one list, with their traces.',
  endpoints: [listRuns, getRun, getRunTrace, cancelRun, answerRun],
} as const satisfies EndpointGroup;
