import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { notify } from '../notices.tsx';

/** Signs in again in another window, so that what is not saved stays on this page. */
export function SignInAgain() {
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
