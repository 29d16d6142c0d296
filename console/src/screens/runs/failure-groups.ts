import type { OperationResponse } from '../../api/api.ts';
import { sharedTexts } from '../../texts/shared.ts';

export type ListedStepResult = OperationResponse<'flows.step-results'>['data'][number];
type FailedStep = Pick<ListedStepResult, 'recordId' | 'recordName' | 'stepName' | 'errorMessage'>;

export interface FailureGroup {
  key: string;
  step: string;
  reason: string;
  /** The names of the records, by their ids. */
  records: Map<string, string>;
}

/** Failed steps by what failed and why; the reason with the most records first. */
export function groupFailures(rows: readonly FailedStep[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { recordId, recordName, stepName: step, errorMessage } of rows) {
    if (!recordId) continue;
    const reason = errorMessage ?? sharedTexts.noReasonIsKnown;
    const key = JSON.stringify([step, reason]);
    const group = groups.get(key) ?? { key, step, reason, records: new Map() };
    group.records.set(recordId, recordName ?? recordId);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.records.size - a.records.size);
}
