import { type FormEvent, useState } from 'react';
import { Button } from '../ui/forms/button.tsx';
import { TextField } from '../ui/forms/field.tsx';
import { Failure } from '../ui/loading/failure.tsx';
import type { Entry } from './enter.ts';
import { goToIssuer } from './sign-in.ts';

interface Props {
  entry: Extract<Entry, { kind: 'sign-in' | 'no-sign-in' | 'failed' }>;
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
    else setProblem('This is not an API key. They begin with tv_live_ or tv_test_');
  }

  return (
    <main id="main" className="sign-in">
      <h1>Agent and Flow Automation</h1>
      {entry.kind === 'failed' && <Failure error={entry.error} onRetry={onRetry} />}
      {entry.kind === 'sign-in' && (
        <>
          {failure && <Failure error={failure} />}
          <Button look="primary" onPress={() => goToIssuer(entry.settings).catch(setFailure)}>
            Sign in
          </Button>
        </>
      )}
      {entry.kind === 'no-sign-in' && (
        <p>
          This deployment has no sign-in for browsers: <code>docs/deploying.md</code> tells how to add one.
          You can use an API key.
        </p>
      )}
      <details open={entry.kind === 'no-sign-in'}>
        <summary>Use an API key</summary>
        <form onSubmit={enter}>
          <TextField
            label="API key"
            type="password"
            autoComplete="off"
            value={key}
            onChange={setKey}
            problem={problem}
            help="Stays in the memory of this page, and is forgotten when you leave it. You see what the key may see."
          />
          <Button type="submit">Continue with key</Button>
        </form>
      </details>
    </main>
  );
}
