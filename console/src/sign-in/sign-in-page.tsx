import { type FormEvent, useState } from 'react';
import { sharedTexts } from '../texts/shared.ts';
import { signInTexts } from '../texts/sign-in.ts';
import { Button } from '../ui/forms/button.tsx';
import { TextField } from '../ui/forms/field.tsx';
import { FailureNotice } from '../ui/loading/failure.tsx';
import type { SignInStart } from './enter.ts';
import { goToIssuer } from './sign-in.ts';

interface Props {
  entry: Extract<SignInStart, { kind: 'sign-in' | 'no-sign-in' | 'failed' }>;
  onRetry: () => void;
  onKey: (key: string) => void;
}

const form = /^tv_(live|test)_\w{20,}$/;

export function SignInPage({ entry, onRetry, onKey }: Props) {
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const [failure, setFailure] = useState(entry.kind === 'sign-in' ? entry.error : undefined);

  function enter(event: FormEvent) {
    event.preventDefault();
    if (form.test(key.trim())) onKey(key.trim());
    else setProblem(signInTexts.notAnApiKey);
  }

  return (
    <main id="main" className="sign-in">
      <h1>{signInTexts.agentAndFlowAutomation}</h1>
      {entry.kind === 'failed' && <FailureNotice error={entry.error} onRetry={onRetry} />}
      {entry.kind === 'sign-in' && (
        <>
          {failure && <FailureNotice error={failure} />}
          <Button look="primary" onPress={() => goToIssuer(entry.settings).catch(setFailure)}>
            {signInTexts.signIn}
          </Button>
        </>
      )}
      {entry.kind === 'no-sign-in' && (
        <p>
          {signInTexts.noSignInForBrowsers((text) => (
            <code>{text}</code>
          ))}
        </p>
      )}
      <details open={entry.kind === 'no-sign-in'}>
        <summary>{signInTexts.useApiKey}</summary>
        <form onSubmit={enter}>
          <TextField
            label={sharedTexts.apiKey}
            type="password"
            autoComplete="off"
            value={key}
            onChange={setKey}
            problem={problem}
            help={signInTexts.keptInMemoryOnly}
          />
          <Button type="submit">{signInTexts.continueWithKey}</Button>
        </form>
      </details>
    </main>
  );
}
