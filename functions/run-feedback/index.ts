import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { createRunFeedback } from './create.ts';
import { deleteFeedback } from './delete.ts';
import { listFeedback } from './list.ts';
import { listFeedbackOfRun } from './list-of-run.ts';

export const runFeedbackGroup = {
  description: 'What people and visitors think of runs, and what runs should have said.',
  endpoints: [createRunFeedback, listFeedbackOfRun, listFeedback, deleteFeedback],
} as const satisfies EndpointGroup;
