import type { ReactNode } from 'react';
import { SessionEnded } from '../../session/credential.ts';
import { uiTexts } from '../../texts/ui.ts';
import { FailureNotice } from './failure.tsx';

interface Query<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** What a query answered; until then that it loads, or why it failed. An old answer is never shown as the newest. */
export function Loaded<Data>({ of, children }: { of: Query<Data>; children: (data: Data) => ReactNode }) {
  const failure = of.error && <FailureNotice error={of.error} onRetry={() => of.refetch()} />;
  if (of.data === undefined) return failure ?? <Loading />;
  return (
    <>
      {/* The page says by itself that the session has ended. */}
      {failure && !(of.error instanceof SessionEnded) && (
        <div>
          {failure}
          <p className="help">{uiTexts.showingEarlierData}</p>
        </div>
      )}
      {children(of.data)}
    </>
  );
}

/** In the place of what is not there yet: its outline, or in words what takes long. */
export const Loading = ({ what }: { what?: string }) =>
  what ? (
    <p role="status" className="loading">
      {what} …
    </p>
  ) : (
    <div role="status" className="loading skeleton">
      <span className="visually-hidden">{uiTexts.loading}</span>
    </div>
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
