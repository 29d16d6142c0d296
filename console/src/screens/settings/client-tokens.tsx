import { useState } from 'react';
import { useAction, useCall } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { Link } from '../../ui/link.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';
import { targetsField } from './targets-field.tsx';

/** Tokens that web pages contain: which pages, and what they may use. */
export function ClientTokens() {
  const [value, setValue] = useState<string>();
  const regenerate = useAction('POST /v1/client-tokens/{id}/regenerate', {
    onSuccess: ({ token }) => setValue(token),
  });
  return (
    <ManagedList
      title="Client tokens"
      of={useCall('GET /v1/client-tokens')}
      rowsOf={({ clientTokens }) => clientTokens}
      copyId="Copy client token ID"
      nameOf={({ name, tokenValue }) => name ?? tokenValue ?? 'the token'}
      columns={[
        {
          title: 'Name',
          cell: ({ id, name, tokenValue }) => (
            <Link to={`/settings/client-tokens/${id}`}>
              <bdi>{name ?? tokenValue}</bdi>
            </Link>
          ),
        },
        { title: 'Pages', cell: ({ allowedOrigins }) => <bdi>{allowedOrigins.join(', ')}</bdi> },
        {
          title: 'Status',
          cell: ({ isActive }) => <Status of={isActive ? 'active' : 'off'} />,
          isExtra: true,
        },
        { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />, isExtra: true },
      ]}
      empty={{
        title: 'No client tokens',
        text: <p>A client token lets a web page chat with the flows and agents that it names.</p>,
      }}
      create={{
        title: 'Create client token',
        route: 'POST /v1/client-tokens',
        custom: targetsField,
        value: { name: '', allowedOrigins: [''], agentIds: [] },
        onSaved: ({ token }) => setValue(token),
      }}
      change={({ id, name, allowedOrigins, isActive, flowIds, agentIds }) => ({
        title: `Edit ${name ?? 'the token'}`,
        route: 'PUT /v1/client-tokens/{id}',
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
        route: 'DELETE /v1/client-tokens/{id}',
        noun: 'client token',
        question: 'Pages with a deleted token stop working at once.',
        changes: ['client-tokens'],
      }}
      more={({ id, name }) => (
        <ConfirmButton
          look="quiet"
          title={`Replace the value of ${name ?? 'the token'}?`}
          question="Pages with the present value stop working at once."
          confirm="Replace"
          action={() => regenerate.mutateAsync({ params: { id } })}
        >
          Replace
        </ConfirmButton>
      )}
    >
      <ShownOnceDialog title="The client token" value={value} onClose={() => setValue(undefined)} />
    </ManagedList>
  );
}
