import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { approveDispatch } from './approve.ts';
import { continueDispatch } from './continue.ts';
import { resumeDispatch } from './resume.ts';
import { retryRun } from './retry.ts';
import { dispatch } from './run.ts';

export const dispatchGroup = {
  description: 'Run a flow or an agent immediately and stream its progress.',
  endpoints: [dispatch, resumeDispatch, approveDispatch, continueDispatch, retryRun],
} as const satisfies EndpointGroup;
