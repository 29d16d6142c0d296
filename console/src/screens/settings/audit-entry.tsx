import type { OperationResponse } from '../../api/api.ts';
import { usePages } from '../../api/queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Loading } from '../../ui/loading/loaded.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { JsonDifference } from '../../ui/values/difference.tsx';
import { ExactTime } from '../../ui/values/time.tsx';
import { auditChange, hasDetails, isOneTarget } from './audit-change.ts';

export type AuditLogEntry = OperationResponse<'audit-log.list'>['data'][number];

/** One entry of the log: who, when, from where, and what changed. */
export const AuditEntry = ({ entry, onClose }: { entry: AuditLogEntry; onClose: () => void }) => (
  <Dialog title={entry.action} isOpen onClose={onClose} width="wide">
    <Facts
      of={[
        [sharedTexts.when, <ExactTime key="at" at={entry.at} />],
        [settingsTexts.who, <bdi key="who">{`${entry.userId} (${entry.kind})`}</bdi>],
        [settingsTexts.from, entry.sourceIp ?? 'unknown'],
        [
          settingsTexts.target,
          <ShownId key="target" id={entry.targetId} label={settingsTexts.copyTargetId} />,
        ],
      ]}
    />
    <h3>{sharedTexts.changes}</h3>
    <Changes entry={entry} />
    <div className="actions settings-close">
      <Button onPress={onClose}>{sharedTexts.close}</Button>
    </div>
  </Dialog>
);

const readMost = 100;

function Changes({ entry }: { entry: AuditLogEntry }) {
  const query = { targetId: entry.targetId, to: entry.at };
  const isOne = isOneTarget(entry.targetId);
  const { rows, error, hasNextPage, refetch } = usePages(
    'audit-log.list',
    { query },
    { enabled: isOne, limit: readMost },
  );
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (isOne && !rows) return <Loading />;
  const place = rows?.findIndex(({ id }) => id === entry.id) ?? -1;
  const earlier = place < 0 ? [] : (rows ?? []).slice(place + 1);
  const { before, after } = auditChange(entry, earlier);
  if (!hasDetails(before) && !hasDetails(after))
    return <p className="help">{settingsTexts.noMembersOfChange}</p>;
  return (
    <>
      <JsonDifference before={before} after={after} />
      <p className="help">
        {hasNextPage ? settingsTexts.valuesOfNewestEntries(readMost) : settingsTexts.valuesOfEarlierEntries}
      </p>
    </>
  );
}
