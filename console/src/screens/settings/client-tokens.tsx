import { useState } from 'react';
import { useAction, useCall } from '../../api/queries.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { Link } from '../../ui/link.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';
import { targetsField } from './targets-field.tsx';

/** Tokens that web pages contain: which pages, and what they may use. */
export function ClientTokens() {
  const [value, setValue] = useState<string>();
  const regenerate = useAction('client-tokens.regenerate', {
    onSuccess: ({ token }) => setValue(token),
  });
  return (
    <ManagedList
      title={sharedTexts.clientTokens}
      of={useCall('client-tokens.list')}
      rowsOf={({ clientTokens }) => clientTokens}
      copyId={settingsTexts.copyClientTokenId}
      nameOf={({ name, tokenValue }) => name ?? tokenValue ?? settingsTexts.theToken}
      columns={[
        {
          title: sharedTexts.name,
          cell: ({ id, name, tokenValue }) => (
            <Link to={`/settings/client-tokens/${id}`}>
              <bdi>{name ?? tokenValue}</bdi>
            </Link>
          ),
        },
        {
          title: settingsTexts.origins,
          cell: ({ allowedOrigins }) => <bdi>{allowedOrigins.join(', ')}</bdi>,
        },
        {
          title: sharedTexts.status,
          cell: ({ isActive }) => <StatusLabel of={isActive ? 'active' : 'off'} />,
          isExtra: true,
        },
        { title: sharedTexts.lastUsed, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, isExtra: true },
      ]}
      empty={{
        title: settingsTexts.noClientTokens,
        text: <p>{settingsTexts.aboutClientTokens}</p>,
      }}
      create={{
        title: settingsTexts.createClientToken,
        operation: 'client-tokens.create',
        custom: targetsField,
        value: { name: '', allowedOrigins: [''], agentIds: [] },
        onSaved: ({ token }) => setValue(token),
      }}
      change={({ id, name, allowedOrigins, isActive, flowIds, agentIds }) => ({
        title: sharedTexts.editNamed(name ?? settingsTexts.theToken),
        operation: 'client-tokens.update',
        params: { id },
        custom: targetsField,
        // The API refuses an empty list of flows here.
        value: {
          ...(name && { name }),
          allowedOrigins,
          isActive,
          agentIds,
          ...(flowIds.length > 0 && { flowIds }),
        },
      })}
      remove={{
        operation: 'client-tokens.delete',
        counted: settingsTexts.clientTokenCount,
        question: settingsTexts.pagesStopWorking,
        changes: ['client-tokens'],
      }}
      more={({ id, name }) => (
        <ConfirmButton
          look="quiet"
          title={settingsTexts.rotateQuestion(name ?? settingsTexts.theToken)}
          question={settingsTexts.tokenIsReplaced}
          confirm={settingsTexts.rotate}
          action={() => regenerate.mutateAsync({ params: { id } })}
        >
          {settingsTexts.rotate}
        </ConfirmButton>
      )}
    >
      <ShownOnceDialog
        title={settingsTexts.theClientToken}
        value={value}
        onClose={() => setValue(undefined)}
      />
    </ManagedList>
  );
}
