import { ApiError } from '../../../../../packages/client/src/client.ts';
import { runTexts } from '../../../texts/runs.ts';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';

export const isMissing = (error: Error | null): error is ApiError =>
  error instanceof ApiError && error.status === 404;

/** The API does not say which of these it is. */
export const MissingRun = ({ error }: { error: Error }) => (
  <>
    <FailureNotice error={error} />
    <p>
      {runTexts.whyRunIsMissing(
        (text) => (
          <code>{text}</code>
        ),
        (text) => (
          <Link to="/runs">{text}</Link>
        ),
      )}
    </p>
  </>
);
