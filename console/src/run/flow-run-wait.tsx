import { runViewTexts } from '../texts/run-view.ts';
import { Link } from '../ui/link.tsx';
import type { FollowedFlowRun } from './flow-run.ts';

/** What a run waits for, with the way to its page. */
export const FlowRunWait = ({ wait }: { wait: NonNullable<FollowedFlowRun['wait']> }) => (
  <p className="note">
    {wait.waits?.length
      ? runViewTexts.waitsForAnswer
      : wait.awaitReason === 'wait'
        ? runViewTexts.continuesAt(wait.until ?? runViewTexts.aLaterTime)
        : runViewTexts.waitsForOutputOfTool(wait.toolName ?? '')}{' '}
    {wait.batchExecutionId && (
      <Link to={wait.waits?.[0] ? `/runs/${wait.waits[0].runId}` : `/runs/batches/${wait.batchExecutionId}`}>
        {runViewTexts.followRun}
      </Link>
    )}
  </p>
);
