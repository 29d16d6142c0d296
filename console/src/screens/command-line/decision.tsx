import { useState } from 'react';
import type { OperationRequest } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { commandLineTexts } from '../../texts/command-line.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { CheckField } from '../../ui/forms/check.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import '../../style/command-line.css';

type Login = OperationRequest<'api-keys.allow-login'>['body'];

interface Props extends Pick<Login, 'host' | 'challenge'> {
  onAllowed: (code: string) => void;
  onDenied: () => void;
}

/** What the key may do, and whether there is to be one. */
export function LoginDecision({ host, challenge, onAllowed, onDenied }: Props) {
  const options = useCall('api-keys.options');
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const allow = useAction('api-keys.allow-login', { onSuccess: (answer) => onAllowed(answer.code) });
  const toggle = (permission: string) => setRefused(refused.symmetricDifference(new Set([permission])));

  return (
    <Loaded of={options}>
      {({ commandLinePermissions }) => {
        const granted = commandLinePermissions.filter((each) => !refused.has(each));
        const body = { host, challenge, permissions: granted as Login['permissions'] };
        return (
          <>
            <fieldset className="login-permissions">
              <legend>{sharedTexts.permissions}</legend>
              {commandLinePermissions.map((permission) => (
                <CheckField
                  key={permission}
                  label={<code>{permission}</code>}
                  isOn={!refused.has(permission)}
                  onChange={() => toggle(permission)}
                />
              ))}
              {granted.length === 0 && (
                <p className="problem">
                  {commandLinePermissions.length === 0
                    ? commandLineTexts.noPermissionToGive
                    : commandLineTexts.noPermissionChosen}
                </p>
              )}
            </fieldset>
            {allow.error && <FailureNotice error={allow.error} />}
            <div className="actions">
              <Button
                look="primary"
                isPending={allow.isPending}
                isDisabled={granted.length === 0}
                onPress={() => allow.mutate({ body })}
              >
                {commandLineTexts.allow}
              </Button>
              <Button isDisabled={allow.isPending} onPress={onDenied}>
                {commandLineTexts.deny}
              </Button>
            </div>
          </>
        );
      }}
    </Loaded>
  );
}
