import type { OperationResponse } from '../api/api.ts';
import { recordPath } from '../routing/record-paths.ts';
import { runViewTexts } from '../texts/run-view.ts';
import { runTexts } from '../texts/runs.ts';
import { Link } from '../ui/link.tsx';
import { Time } from '../ui/values/time.tsx';

export type FlowWait = OperationResponse<'runs.get'>['waits'][number];

/** Where in the run it waits, since when, and until when. */
export const WaitOrigin = ({ wait }: { wait: FlowWait }) => {
  const { stepId, stepName, stepPath, recordId, since, expiresAt } = wait;
  return (
    <p className="help">
      {runViewTexts.waitOfStep(<bdi>{stepName}</bdi>, <Time at={since} />, <Time at={expiresAt} />)}{' '}
      {stepPath !== stepId && <code>{stepPath}</code>}{' '}
      {recordId && <Link to={recordPath(recordId)}>{runTexts.openRecord}</Link>}
    </p>
  );
};
