import { covers } from '../../../shared/platform/identity/permissions.ts';
import { useApi } from '../api/api.ts';
import { useCall } from '../api/queries.ts';
import { shellTexts } from '../texts/shell.ts';

const countedMax = 50;
const readers = ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'] as const;

/** How many runs are open, beside the link to them; nothing if none is, or nobody may know. */
export function OpenRunCount() {
  const { permissions } = useApi().credential;
  const mayRead = permissions === null || readers.some((each) => covers(permissions, each));
  const open = useCall(
    'GET /v1/runs',
    { query: { status: 'running,paused', limit: countedMax } as never },
    { enabled: mayRead, everyMs: (known) => ((known?.data.length ?? 0) > 0 ? 10_000 : 30_000) },
  );
  const { data = [], pagination } = open.data ?? {};
  if (data.length === 0) return null;
  const waiting = data.filter(({ status }) => status === 'paused').length;
  const running = data.length - waiting;
  const parts = [
    running > 0 && shellTexts.runningCount(running),
    waiting > 0 && shellTexts.waitingCount(waiting),
  ];
  return (
    <span className="open-runs" title={parts.filter(Boolean).join(', ')}>
      {data.length}
      {pagination?.hasMore && '+'}
      <span className="visually-hidden"> {shellTexts.open}</span>
    </span>
  );
}
