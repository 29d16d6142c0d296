import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type OperationItem, useApi } from '../../api/api.ts';
import { usePages } from '../../api/queries.ts';
import { inboxTexts } from '../../texts/inbox.ts';

export type InboxEntry = OperationItem<'waits.list'>;

export const statuses = ['open', 'answered', 'expired'] as const;
export const kinds = Object.keys(inboxTexts.kinds) as InboxEntry['kind'][];

export interface InboxFilters {
  status: (typeof statuses)[number];
  kind?: InboxEntry['kind'];
  overdue?: true;
  mine?: true;
}

/** The filters of an address. What it does not know is left out. */
function parseInboxFilters(search: Readonly<Record<string, unknown>>): InboxFilters {
  const status = statuses.find((each) => each === search.status) ?? 'open';
  const kind = kinds.find((each) => each === search.kind);
  return {
    status,
    ...(kind && { kind }),
    ...(status === 'open' && 'overdue' in search && { overdue: true as const }),
    ...('mine' in search && { mine: true as const }),
  };
}

/** What the address of the inbox holds, so that a link shows the same. */
export function useInboxAddress() {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const filters = parseInboxFilters(search);
  const go = ({ status, ...rest }: InboxFilters, wait: string | undefined, replace: boolean) =>
    navigate({
      to: '.',
      search: { ...(status !== 'open' && { status }), ...rest, ...(wait && { wait }) },
      replace,
      resetScroll: false,
    } as never);
  return {
    filters,
    waitId: typeof search.wait === 'string' ? search.wait : undefined,
    setFilters: (next: InboxFilters) => go(next, undefined, false),
    /** @param replace Whether the way back passes it by. */
    choose: (id: string | undefined, replace: boolean) => go(filters, id, replace),
  };
}

/** Each question is read with its run and its record: a long list less often. */
const everyMs = (rows: readonly InboxEntry[]) => (rows.length > 50 ? 30_000 : 10_000);

/** The questions of the inbox: of the open ones those first that are overdue, then those that expire first. */
export function useInbox({ status, kind, overdue, mine }: InboxFilters) {
  const { userId } = useApi().credential;
  const shared = { status, ...(kind && { kind }), ...(mine && userId && { claimedBy: userId }) };
  const isOpen = status === 'open';
  const first = usePages(
    'waits.list',
    { query: { ...shared, ...(isOpen && { overdue: true, sort: 'expiresAt' as const }) } },
    { everyMs },
  );
  const second = usePages(
    'waits.list',
    { query: { ...shared, overdue: false, sort: 'expiresAt' } },
    { everyMs, enabled: isOpen && !overdue },
  );
  const hasSecond = isOpen && !overdue;
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const loaded = hasSecond && !first.hasNextPage ? [first.rows, second.rows] : [first.rows];
  const all = loaded.every((rows) => rows !== undefined) ? loaded.flatMap((rows) => rows ?? []) : undefined;
  // One may become overdue between the two requests.
  const rows = all && [...new Map(all.map((row) => [row.id, row])).values()];
  const last = hasSecond && !first.hasNextPage ? second : first;
  const refetch = () => Promise.all([first.refetch(), ...(hasSecond ? [second.refetch()] : [])]);
  return {
    rows: isOpen ? rows?.filter(({ id }) => !answered.has(id)) : rows,
    error: first.error ?? (hasSecond ? second.error : null),
    hasNextPage: last.hasNextPage,
    isFetchingNextPage: last.isFetchingNextPage,
    fetchNextPage: last.fetchNextPage,
    refetch,
    /** Takes an answered one away before the list is read again. */
    hide: (id: string) => setAnswered((before) => new Set(before).add(id)),
    show: (id: string) => setAnswered((before) => new Set([...before].filter((each) => each !== id))),
  };
}

/** The question that is shown beside the list: also one that has just left it, so that nobody loses what he reads. */
export function useChosenWait(rows: readonly InboxEntry[] | undefined, id: string | undefined) {
  const [last, setLast] = useState<InboxEntry>();
  const listed = rows?.find((row) => row.id === id);
  useEffect(() => {
    if (listed) setLast(listed);
  }, [listed]);
  if (listed) return { wait: listed, hasLeft: false };
  return { wait: last && last.id === id ? last : undefined, hasLeft: rows !== undefined };
}
