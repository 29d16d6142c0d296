import { useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { useApi } from '../../api/api.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { notify } from '../notices.tsx';

const nothing = () => () => {};
const never = () => false;

function useHasEnded(): boolean {
  const { end } = useApi().credential;
  return useSyncExternalStore(end?.onChange ?? nothing, end?.hasCome ?? never);
}

/** Says that the session has ended, over a page that keeps what is not saved. */
export function SessionEndNotice() {
  if (!useHasEnded()) return null;
  return (
    <section role="alert" className="failure session-end">
      <strong>{uiTexts.sessionHasEnded}</strong>
      <p>{uiTexts.signInInAnotherWindow}</p>
      <SignInAgain />
    </section>
  );
}

/** In the place of what could not be done without a session; nothing once there is one again. */
export function SessionEndFailure({ error }: { error: Error }) {
  if (!useHasEnded()) return null;
  return (
    <div role="alert" className="failure">
      <p>
        <strong>{error.message}</strong>
      </p>
      <SignInAgain />
    </div>
  );
}

/** Signs in again in another window, so that what is not saved stays on this page. */
function SignInAgain() {
  const { end } = useApi().credential;
  const queries = useQueryClient();
  const [error, setError] = useState<Error>();
  async function signIn() {
    setError(undefined);
    try {
      await end?.signInAgain();
      notify(sharedTexts.youAreSignedInAgain);
      await queries.invalidateQueries();
    } catch (caught) {
      setError(caught as Error);
    }
  }
  return (
    <>
      {error && <p>{error.message}</p>}
      <Button onPress={signIn}>{uiTexts.signInAgain}</Button>
    </>
  );
}
