import type { OperationResponse } from './api.ts';
import { useCall } from './queries.ts';

type Runs = OperationResponse<'runs.list'>;
export type OpenRunRow = Runs['data'][number];

/** What runs, or will by itself; and what waits for an answer or a time. */
const statusesOf = { running: ['running', 'scheduled'], waiting: ['paused'] } as const;
export type OpenKind = keyof typeof statusesOf;

const request = (statuses: readonly string[], limit: number) => ({
  query: { status: statuses.join(','), limit },
});
/** The newest ones. */
const sharedMax = 50;
const all = request([...statusesOf.running, ...statusesOf.waiting], sharedMax);

export const openRunsPath = (kind: OpenKind) => `/runs?status=${statusesOf[kind].join(',')}`;

const isOf = (kind: OpenKind, { status }: OpenRunRow) =>
  (statusesOf[kind] as readonly string[]).includes(status);

interface Asked {
  enabled?: boolean;
  /** How often to ask again, by whether something runs, something waits, or neither. */
  everyMs: { running: number; waiting: number; none: number };
}

/** Every open run, asked for once for all that show some of them. */
export function useOpenRuns({ enabled = true, everyMs }: Asked) {
  const open = useCall('runs.list', all, {
    enabled,
    everyMs: (page) => everyMs[busyOf(page?.data ?? [])],
  });
  const runs = open.data?.data ?? [];
  const countOf = (kind: OpenKind) => runs.filter((run) => isOf(kind, run)).length;
  return { ...open, counts: { running: countOf('running'), waiting: countOf('waiting') } };
}

const busyOf = (runs: readonly OpenRunRow[]) =>
  runs.some((run) => isOf('running', run)) ? 'running' : runs.length > 0 ? 'waiting' : 'none';

/** The newest open runs of a kind. If others take the place of some of them in the shared list, they are asked for apart. */
export function useOpenRunsOfKind(kind: OpenKind, limit: number, everyMs: Asked['everyMs']) {
  const open = useOpenRuns({ everyMs });
  const mayLack = open.data?.pagination.hasMore === true && open.counts[kind] < limit;
  const apart = useCall('runs.list', request(statusesOf[kind], limit), {
    enabled: mayLack,
    everyMs: everyMs.waiting,
  });
  const { data, error, refetch } = mayLack ? apart : open;
  return { data: data?.data.filter((run) => isOf(kind, run)).slice(0, limit), error, refetch };
}
