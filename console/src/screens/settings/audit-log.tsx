import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { ExactTime } from '../../ui/values/time.tsx';
import { AuditEntry, type AuditLogEntry } from './audit-entry.tsx';
import { SettingsPage } from './layout/settings-page.tsx';
import '../../style/settings.css';

/** Who changed which key or secret, when, and what changed. */
export function AuditLog() {
  const [action, setAction] = useState('');
  const [opened, setOpened] = useState<AuditLogEntry>();
  const sought = useSettled(action.trim());
  const entries = usePages('audit-log.list', { query: sought ? { action: sought } : {} });
  return (
    <SettingsPage title={sharedTexts.auditLog}>
      <TextField
        label={settingsTexts.action}
        placeholder="api-key.created"
        value={action}
        onChange={setAction}
      />
      <PagedTable
        label={sharedTexts.auditLog}
        pages={entries}
        keyOf={({ id }) => id}
        empty={<Empty title={settingsTexts.noEntries} />}
        columns={[
          { title: sharedTexts.when, cell: ({ at }) => <ExactTime at={at} /> },
          { title: settingsTexts.action, cell: (entry) => <code>{entry.action}</code> },
          {
            title: settingsTexts.target,
            cell: ({ targetId }) => <ShownId id={targetId} label={settingsTexts.copyTargetId} />,
            isExtra: true,
          },
          {
            title: settingsTexts.who,
            cell: ({ userId, kind }) => <bdi>{settingsTexts.by(userId, kind)}</bdi>,
            isExtra: true,
          },
          {
            title: settingsTexts.from,
            cell: ({ sourceIp }) => sourceIp ?? sharedTexts.unknown,
            isExtra: true,
          },
          {
            title: sharedTexts.changes,
            cell: (entry) => (
              <Button
                look="quiet"
                aria-label={settingsTexts.showChanges(entry.action)}
                onPress={() => setOpened(entry)}
              >
                {settingsTexts.show}
              </Button>
            ),
          },
        ]}
      />
      {opened && <AuditEntry entry={opened} onClose={() => setOpened(undefined)} />}
    </SettingsPage>
  );
}
