import { covers } from '../../../shared/platform/identity/permissions.ts';
import { useApi } from '../api/api.ts';
import { useOpenRuns } from '../api/open-runs.ts';
import { shellTexts } from '../texts/shell.ts';

const readers = ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'] as const;
const everyMs = { running: 10_000, waiting: 10_000, none: 30_000 };

/** How many runs are open, beside the link to them; nothing if none is, or nobody may know. */
export function OpenRunCount() {
  const { permissions } = useApi().credential;
  const mayRead = permissions === null || readers.some((each) => covers(permissions, each));
  const { data, counts } = useOpenRuns({ enabled: mayRead, everyMs });
  const { running, waiting } = counts;
  if (running + waiting === 0) return null;
  const parts = [
    running > 0 && shellTexts.runningCount(running),
    waiting > 0 && shellTexts.waitingCount(waiting),
  ];
  return (
    <span className="open-runs" title={parts.filter(Boolean).join(', ')}>
      {running + waiting}
      {data?.pagination.hasMore && '+'}
      <span className="visually-hidden"> {shellTexts.open}</span>
    </span>
  );
}
