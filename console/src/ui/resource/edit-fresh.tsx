import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import type { OperationId, OperationRequest, OperationResponse } from '../../api/api.ts';
import { useCallOptions } from '../../api/queries.ts';
import { Loaded } from '../loading/loaded.tsx';

export interface BegunEdit<Stored> {
  /** What is stored. */
  stored: Stored;
  /** Asks what is stored now. */
  read: () => Promise<Stored>;
  /** Begins again with what is stored. The edits are lost. */
  restart: () => void;
}

interface Props<R extends OperationId> {
  operation: R;
  request: OperationRequest<R>;
  children: (begun: BegunEdit<OperationResponse<R>>) => ReactNode;
}

/** An editor that begins with what is stored now, never with what is cached. Another request needs another `key`. */
export function EditFresh<R extends OperationId>({ operation, request, children }: Props<R>) {
  const queries = useQueryClient();
  const options = useCallOptions(operation, request);
  const [openedAt] = useState(Date.now);
  const [beginnings, setBeginnings] = useState(0);
  const { data, dataUpdatedAt, error, refetch } = useQuery({ ...options, refetchOnMount: 'always' });
  const isFresh = dataUpdatedAt >= openedAt;
  return (
    // Once begun, an edit says by itself what could not be read or written.
    <Loaded of={{ ...(isFresh ? { data, error: null } : { data: undefined, error }), refetch }}>
      {(stored) => (
        <Fragment key={beginnings}>
          {children({
            stored,
            read: () => queries.fetchQuery({ ...options, staleTime: 0 }),
            restart: () => setBeginnings(beginnings + 1),
          })}
        </Fragment>
      )}
    </Loaded>
  );
}
