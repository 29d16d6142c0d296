import { type ReactNode, useEffect, useState } from 'react';
import { type Credential, keyCredential } from '../session/credential.ts';
import { sharedTexts } from '../texts/shared.ts';
import { signInTexts } from '../texts/sign-in.ts';
import { Loading } from '../ui/loading/loaded.tsx';
import { enter, type SignInStart } from './enter.ts';
import { SignInPage } from './sign-in-page.tsx';

/** Shows the console to those who are signed in, and the way in to others. */
export function SessionGate({ children }: { children: (credential: Credential) => ReactNode }) {
  const [entry, setEntry] = useState<SignInStart>();
  useEffect(() => {
    enterOnce().then(setEntry);
  }, []);
  function retry() {
    entering = undefined;
    setEntry(undefined);
    enterOnce().then(setEntry);
  }
  if (!entry || entry.kind === 'leaving') return <Loading what={signInTexts.signingIn} />;
  if (entry.kind === 'signed-in') return children(entry.credential);
  if (entry.kind === 'done')
    return (
      <main id="main" className="sign-in">
        <h1>{sharedTexts.youAreSignedInAgain}</h1>
        <p>{signInTexts.closeThisWindow}</p>
      </main>
    );
  return (
    <SignInPage
      entry={entry}
      onRetry={retry}
      onKey={(key) => setEntry({ kind: 'signed-in', credential: keyCredential(key) })}
    />
  );
}

/** A single attempt a page: the code of the issuer is valid once, and development renders twice. */
let entering: Promise<SignInStart> | undefined;
function enterOnce() {
  entering ??= enter();
  return entering;
}
