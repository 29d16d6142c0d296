import { sharedTexts } from '../../../texts/shared.ts';

export interface FailedRun {
  id: string;
  name: string;
  startedAt: string;
  completedAt: string | null;
  error: { code: string; message: string } | null;
}

export interface Reason {
  key: string;
  code: string;
  /** As the newest run has it. */
  message: string;
  count: number;
  lastAt: string;
  newestRunId: string;
  /** What failed for it, the newest first. */
  names: string[];
  /** A part of the message that all of them have. */
  commonText: string;
}

/** What differs between two runs that failed for the same reason: ids, numbers and quoted values. */
const varying = /\b[a-z]+_[0-9a-z]{20,}\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|"[^"]*"|\b\d[\d.,:]*\b/g;
const unknown = { code: 'UNKNOWN', message: sharedTexts.noReasonIsKnown };

/** Failed runs by reason, the most frequent first. @param runs The newest first. */
export function failureReasons(runs: readonly FailedRun[]): Reason[] {
  const groups = Map.groupBy(runs, ({ error }) => keyOf(error ?? unknown));
  const reasons = [...groups].map(([key, [newest, ...others]]) => reasonOf(key, newest as FailedRun, others));
  return reasons.toSorted((one, other) => other.count - one.count || other.lastAt.localeCompare(one.lastAt));
}

const keyOf = ({ code, message }: { code: string; message: string }) =>
  `${code} ${message.replaceAll(varying, '…')}`;

function reasonOf(key: string, newest: FailedRun, others: readonly FailedRun[]): Reason {
  const { code, message } = newest.error ?? unknown;
  return {
    key,
    code,
    message,
    count: others.length + 1,
    lastAt: newest.completedAt ?? newest.startedAt,
    newestRunId: newest.id,
    names: [...new Set([newest, ...others].map(({ name }) => name))],
    commonText: newest.error ? commonTextOf(message) : '',
  };
}

/** The longest part of a message between what varies: the list of runs searches for parts of messages. */
const commonTextOf = (message: string) =>
  message
    .split(varying)
    .map((part) => part.trim())
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '')
    .slice(0, 200);
