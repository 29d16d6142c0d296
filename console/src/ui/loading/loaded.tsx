import type { ReactNode } from 'react';
import { SessionEnded } from '../../session/credential.ts';
import { Failure } from './failure.tsx';

interface Query<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** What a query answered; until then that it loads, or why it failed. An old answer is never shown as the newest. */
export function Loaded<Data>({ of, children }: { of: Query<Data>; children: (data: Data) => ReactNode }) {
  const failure = of.error && <Failure error={of.error} onRetry={() => of.refetch()} />;
  if (of.data === undefined) return failure ?? <Loading />;
  return (
    <>
      {/* The page says by itself that the session has ended. */}
      {failure && !(of.error instanceof SessionEnded) && (
        <div>
          {failure}
          <p className="help">Showing earlier data.</p>
        </div>
      )}
      {children(of.data)}
    </>
  );
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
