import { readEventsToEnd } from '../agent-runs/events-to-end.ts';
import { executeInFront, type FrontPolicy } from './front-policy.ts';

/** Cancelled when the caller leaves, and lost with its process. */
export const endsWithCaller: FrontPolicy = {
  background: false,
  outlivesProcess: false,
  events: (scope, run, front) => (callerSignal) =>
    readEventsToEnd(scope, run.execution, executeInFront(scope, run, front, { callerSignal })),
};
