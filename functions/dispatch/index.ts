import type { Group } from '../../shared/platform/http/group.ts';
import { resumeDispatch } from './resume.ts';
import { dispatch } from './run.ts';

export const dispatchGroup = {
  description: 'Run a flow immediately and stream its progress.',
  endpoints: [dispatch, resumeDispatch],
} as const satisfies Group;
