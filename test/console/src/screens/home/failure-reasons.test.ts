import { expect, test } from 'vitest';
import {
  type FailedRun,
  failureReasons,
} from '../../../../../console/src/screens/home/overview/failure-reasons.ts';

let made = 0;
const failed = (message: string, name = 'Flow', code = 'RUN_FAILED'): FailedRun => ({
  id: `exec_${++made}`,
  name,
  startedAt: '2026-11-26T10:00:00Z',
  completedAt: `2026-11-26T10:${String(59 - made).padStart(2, '0')}:00Z`,
  error: { code, message },
});

test('runs that failed for one reason are one group, with their count and the newest of them', () => {
  const runs = [failed('No description'), failed('Refused'), failed('No description', 'Other')];
  const [first, second] = failureReasons(runs);
  expect(first).toMatchObject({ message: 'No description', count: 2, names: ['Flow', 'Other'] });
  expect(first?.newestRunId).toBe(runs[0]?.id);
  expect(first?.lastAt).toBe(runs[0]?.completedAt);
  expect(second).toMatchObject({ message: 'Refused', count: 1 });
});

test('ids, numbers and quoted values do not make another reason', () => {
  const runs = [
    failed('record_01k9m4v7d3x8qz5w2r6t0y1hbn answered 503 after 12 s: "busy"'),
    failed('record_01k9m4v7d3x8qz5w2r6t0y1hbz answered 500 after 3.5 s: "down"'),
  ];
  expect(failureReasons(runs)).toHaveLength(1);
});

test('another code is another reason', () => {
  expect(failureReasons([failed('No'), failed('No', 'Batch', 'BATCH_FAILED')])).toHaveLength(2);
});

test('the link searches for the longest text that all runs of a reason have', () => {
  const [reason] = failureReasons([failed('openai/small answered 400: The prompt was refused')]);
  expect(reason?.commonText).toBe(': The prompt was refused');
});

test('a run without a reason is counted too, and its link searches for no text', () => {
  const [reason] = failureReasons([{ ...failed('x'), error: null }]);
  expect(reason).toMatchObject({ code: 'UNKNOWN', count: 1, commonText: '' });
});
