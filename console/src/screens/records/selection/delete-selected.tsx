import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../../api/api.ts';
import { refresh } from '../../../api/queries.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../../ui/notices.tsx';
import { count } from '../../../ui/values/format.ts';

/** So many ids a request takes. */
const idsMax = 1_000;

/** Deletes the records that somebody selected, in as many requests as it takes. */
export function DeleteSelected({ ids, onDone }: { ids: readonly string[]; onDone: () => void }) {
  const { call } = useApi();
  const queries = useQueryClient();

  async function remove() {
    let left = [...ids];
    let deleted = 0;
    try {
      while (left.length > 0) {
        const answer = await call('POST /v1/records/bulk-delete', { body: { ids: left.slice(0, idsMax) } });
        deleted += answer.deleted;
        const remaining = answer.remainingIds ?? [];
        // A request that deletes nothing would repeat for ever.
        if (answer.deleted === 0 && remaining.length > 0)
          throw new Error('The service deleted none of the rest');
        left = [...remaining, ...left.slice(idsMax)];
      }
      notify(`${count(deleted)} deleted`);
      onDone();
    } finally {
      await refresh(queries, ['records']);
    }
  }

  return (
    <ConfirmButton
      title={`Delete ${count(ids.length)} ${ids.length === 1 ? 'record' : 'records'}?`}
      question="Their results are deleted too. This cannot be undone."
      confirm="Delete"
      action={remove}
    >
      Delete
    </ConfirmButton>
  );
}
