import { type ReactNode, useEffect, useState } from 'react';
import { ResponseError } from '../../../functions/client.ts';
import { Loading } from '../ui/loaded.tsx';
import { type Credential, keyCredential } from './credential.ts';
import { completeSignIn, goToIssuer, signInSettings, wasSignedIn } from './sign-in.ts';
import { SignInPage } from './sign-in-page.tsx';

type Settings = Awaited<ReturnType<typeof signInSettings>>;

/** Shows the console to those who are signed in, and the way in to others. */
export function SessionGate({ children }: { children: (credential: Credential) => ReactNode }) {
  const [credential, setCredential] = useState<Credential>();
  const [settings, setSettings] = useState<Settings>();
  const [error, setError] = useState<Error>();
  const [isReady, setReady] = useState(false);

  useEffect(() => {
    begin()
      .then((found) => {
        setSettings(found.settings);
        setCredential(found.credential);
        setError(found.error);
        setReady(!found.isLeaving);
      })
      .catch((caught) => {
        setError(caught);
        setReady(true);
      });
  }, []);

  if (credential) return children(credential);
  if (!isReady) return <Loading what="Signing in" />;
  return (
    <SignInPage
      error={error}
      onSignIn={settings === undefined ? undefined : () => goToIssuer(settings)}
      onKey={(key) => setCredential(keyCredential(key))}
    />
  );
}

/** A single attempt a page: the code of the issuer is valid once, and development renders twice. */
let beginning: ReturnType<typeof signInOnce> | undefined;
function begin() {
  beginning ??= signInOnce();
  return beginning;
}

async function signInOnce(): Promise<{
  settings?: Settings;
  credential?: Credential;
  isLeaving?: boolean;
  error?: Error;
}> {
  const settings = await signInSettings().catch((error) => {
    if (error instanceof ResponseError && error.status === 404) return undefined;
    throw error;
  });
  if (!settings) return {};
  const credential = await completeSignIn(settings).catch((refused: Error) => ({ refused }));
  if (credential && 'refused' in credential) return { settings, error: credential.refused };
  if (credential || !wasSignedIn()) return { settings, ...(credential && { credential }) };
  await goToIssuer(settings);
  return { settings, isLeaving: true };
}
