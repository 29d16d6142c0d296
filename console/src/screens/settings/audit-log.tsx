import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { Button } from '../../ui/forms/button.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { ExactTime } from '../../ui/values/time.tsx';
import { AuditEntry, type Entry } from './audit-entry.tsx';
import { SettingsPage } from './layout/settings-page.tsx';
import '../../style/settings.css';

/** Who changed which key or secret, when, and what changed. */
export function AuditLog() {
  const [action, setAction] = useState('');
  const [opened, setOpened] = useState<Entry>();
  const sought = useSettled(action.trim());
  const entries = usePages('GET /v1/audit-log', { query: sought ? { action: sought } : {} });
  return (
    <SettingsPage title="Audit log">
      <TextField label="Action" placeholder="api-key.created" value={action} onChange={setAction} />
      <PagedTable
        label="Audit log"
        pages={entries}
        keyOf={({ id }) => id}
        empty={<Empty title="No entries" />}
        columns={[
          { title: 'When', cell: ({ at }) => <ExactTime at={at} /> },
          { title: 'Action', cell: (entry) => <code>{entry.action}</code> },
          {
            title: 'Target',
            cell: ({ targetId }) => <ShownId id={targetId} label="Copy target ID" />,
            isExtra: true,
          },
          { title: 'Who', cell: ({ userId, kind }) => <bdi>{`${userId} (${kind})`}</bdi>, isExtra: true },
          { title: 'From', cell: ({ sourceIp }) => sourceIp ?? 'unknown', isExtra: true },
          {
            title: 'Changes',
            cell: (entry) => (
              <Button
                look="quiet"
                aria-label={`Show changes of ${entry.action}`}
                onPress={() => setOpened(entry)}
              >
                Show
              </Button>
            ),
          },
        ]}
      />
      {opened && <AuditEntry entry={opened} onClose={() => setOpened(undefined)} />}
    </SettingsPage>
  );
}
