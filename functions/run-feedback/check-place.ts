import { type ErrorDetail, invalid } from '../../shared/core/errors/errors.ts';
import type { RunFeedback } from '../../shared/domain/feedback/run-feedback.ts';
import type { Run } from '../../shared/domain/runs/run.ts';

type Place = Pick<RunFeedback, 'recordId' | 'stepId' | 'turn'>;

/** Whether a run can have such a place, as far as its row says. @throws 400 */
export function checkPlace(
  { kind, recordId }: Pick<Run, 'kind' | 'recordId'>,
  place: { [Member in keyof Place]?: Place[Member] | undefined },
): void {
  const ofFlow = kind === 'flow' || kind === 'batch';
  const problems = {
    recordId:
      kind !== 'batch' &&
      place.recordId !== recordId &&
      (recordId ? `The run has the record ${recordId}` : `This run of the kind ${kind} has no record`),
    stepId: !ofFlow && `A run of the kind ${kind} has no steps`,
    turn: kind !== 'agent' && `A run of the kind ${kind} has no turns`,
  };
  const details = Object.entries(problems).flatMap(([path, message]): ErrorDetail[] =>
    message && place[path as keyof Place] !== undefined ? [{ path, code: 'INVALID_VALUE', message }] : [],
  );
  if (details.length > 0) throw invalid(details);
}
