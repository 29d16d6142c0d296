import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { settingsTexts } from '../../texts/settings.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton, MoreMenu } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { CopyButton } from '../../ui/forms/copy-button.tsx';
import { TextBox } from '../../ui/forms/text-box.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { Time } from '../../ui/values/time.tsx';
import { SettingsPage } from './layout/settings-page.tsx';
import { targetsField } from './targets-field.tsx';
import { TokenConversations } from './token-conversations.tsx';

type Token = OperationResponse<'client-tokens.get'>['clientToken'];

const above = [{ to: '/settings/client-tokens', label: sharedTexts.clientTokens }];

/** A client token: its value, which is public, what it allows, and what was said with it. */
export function OneClientToken() {
  const params = { id: useParam('tokenId') };
  const token = useCall('client-tokens.get', { params });
  const [isEditing, setEditing] = useState(false);
  const navigate = useNavigate();
  const regenerate = useAction('client-tokens.regenerate', {
    onSuccess: () => notify(settingsTexts.tokenRotated),
  });
  const remove = useAction('client-tokens.delete', {
    onSuccess() {
      notify(settingsTexts.clientTokenDeleted);
      return navigate({ to: '/settings/client-tokens' });
    },
  });
  return (
    <SettingsPage
      title={token.data?.clientToken.name ?? settingsTexts.clientToken}
      above={above}
      id={<ShownId id={params.id} label={settingsTexts.copyClientTokenId} />}
      actions={
        <>
          <Button look="primary" isDisabled={!token.data} onPress={() => setEditing(true)}>
            {sharedTexts.edit}
          </Button>
          <ConfirmButton
            look="plain"
            title={settingsTexts.rotateTheToken}
            question={settingsTexts.tokenIsReplaced}
            confirm={settingsTexts.rotate}
            action={() => regenerate.mutateAsync({ params })}
          >
            {settingsTexts.rotate}
          </ConfirmButton>
          <MoreMenu
            title={settingsTexts.deleteThisToken}
            question={settingsTexts.tokenStops}
            confirm={sharedTexts.delete}
            action={() => remove.mutateAsync({ params })}
          >
            {sharedTexts.delete}
          </MoreMenu>
        </>
      }
    >
      <Loaded of={token}>
        {({ clientToken: known }) => (
          <div className="stack">
            <TokenFacts token={known} />
            <TokenConversations id={params.id} />
            {isEditing && (
              <EditDialog
                title={settingsTexts.editToken}
                operation="client-tokens.update"
                params={params}
                custom={targetsField}
                value={editedOf(known)}
                isOpen
                onClose={() => setEditing(false)}
              />
            )}
          </div>
        )}
      </Loaded>
    </SettingsPage>
  );
}

const TokenFacts = ({ token }: { token: Token }) => (
  <section className="card" aria-label={settingsTexts.token}>
    {token.tokenValue && (
      <>
        <TextBox label={sharedTexts.value}>{token.tokenValue}</TextBox>
        <CopyButton text={token.tokenValue} />
      </>
    )}
    <Facts
      of={[
        [settingsTexts.origins, <bdi key="origins">{token.allowedOrigins.join(', ')}</bdi>],
        [
          settingsTexts.requests,
          settingsTexts.requestLimits(token.rateLimitPerMinute, token.rateLimitPerHour),
        ],
        [
          settingsTexts.reaches,
          [sharedTexts.agentCount(token.agentIds.length), sharedTexts.flowCount(token.flowIds.length)].join(
            ', ',
          ),
        ],
        [sharedTexts.lastUsed, <Time key="used" at={token.lastUsedAt} />],
      ]}
    />
  </section>
);

function editedOf({ name, agentIds, flowIds, allowedOrigins, isActive, config, ...token }: Token) {
  const { rateLimitPerMinute, rateLimitPerHour, maxMessagesPerSession, sessionIdleTimeoutMinutes } = token;
  const limits = { rateLimitPerMinute, rateLimitPerHour, maxMessagesPerSession, sessionIdleTimeoutMinutes };
  // The API refuses an empty list of flows here.
  const flows = flowIds.length > 0 ? { flowIds } : {};
  const members = { name, agentIds, ...flows, allowedOrigins, isActive, config, ...limits };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
