import type { AnswerOf } from '../../api/api.ts';
import { usePages } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Failure } from '../../ui/loading/failure.tsx';
import { Loading } from '../../ui/loading/loaded.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { Difference } from '../../ui/values/difference.tsx';
import { ExactTime } from '../../ui/values/time.tsx';
import { changeOf, hasDetails, isOneTarget } from './audit-change.ts';

export type Entry = AnswerOf<'GET /v1/audit-log'>['data'][number];

/** One entry of the log: who, when, from where, and what changed. */
export const AuditEntry = ({ entry, onClose }: { entry: Entry; onClose: () => void }) => (
  <Dialog title={entry.action} isOpen onClose={onClose} width="wide">
    <Facts
      of={[
        ['When', <ExactTime key="at" at={entry.at} />],
        ['Who', <bdi key="who">{`${entry.userId} (${entry.kind})`}</bdi>],
        ['From', entry.sourceIp ?? 'unknown'],
        ['Target', <ShownId key="target" id={entry.targetId} label="Copy target ID" />],
      ]}
    />
    <h3>Changes</h3>
    <Changes entry={entry} />
    <div className="actions settings-close">
      <Button onPress={onClose}>Close</Button>
    </div>
  </Dialog>
);

function Changes({ entry }: { entry: Entry }) {
  const query = { targetId: entry.targetId, to: entry.at };
  const isOne = isOneTarget(entry.targetId);
  const { rows, error, hasNextPage, refetch } = usePages(
    'GET /v1/audit-log',
    { query },
    { enabled: isOne, limit: 100 },
  );
  if (error) return <Failure error={error} onRetry={() => refetch()} />;
  if (isOne && !rows) return <Loading />;
  const place = rows?.findIndex(({ id }) => id === entry.id) ?? -1;
  const earlier = place < 0 ? [] : (rows ?? []).slice(place + 1);
  const { before, after } = changeOf(entry, earlier);
  if (!hasDetails(before) && !hasDetails(after))
    return (
      <p className="help">The log has no members of this change. It never has values of keys and secrets.</p>
    );
  return (
    <>
      <Difference before={before} after={after} />
      <p className="help">
        Values before the change are those of earlier entries
        {hasNextPage ? ', of which only the newest 100 were read.' : '.'} The log never has values of keys and
        secrets.
      </p>
    </>
  );
}
