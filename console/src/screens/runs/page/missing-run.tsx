import { ResponseError } from '../../../../../functions/client.ts';
import { Link } from '../../../ui/link.tsx';
import { Failure } from '../../../ui/loading/failure.tsx';

export const isMissing = (error: Error | null): error is ResponseError =>
  error instanceof ResponseError && error.status === 404;

/** The API does not say which of these it is. */
export const MissingRun = ({ error }: { error: Error }) => (
  <>
    <Failure error={error} />
    <p>
      Runs are deleted with their flow, agent or tool, and some expire after 30 days. Or your session or key
      may not read runs of this kind: flows and batches need <code>FLOWS:READ</code>, agents{' '}
      <code>AGENTS:READ</code>, tools <code>TOOLS:READ</code>. <Link to="/runs">Show all runs</Link>
    </p>
  </>
);
