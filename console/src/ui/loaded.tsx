import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';

interface Query<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** What a query answered; until then that it loads, or why it failed. */
export function Loaded<Data>({ of, children }: { of: Query<Data>; children: (data: Data) => ReactNode }) {
  if (of.data !== undefined) return children(of.data);
  if (of.error) return <Failure error={of.error} onRetry={() => of.refetch()} />;
  return <Loading />;
}

export const Loading = ({ what = 'Loading' }: { what?: string }) => (
  <p role="status" className="loading">
    {what} …
  </p>
);

/** A list without rows: says what would be here, and how to begin. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
);
