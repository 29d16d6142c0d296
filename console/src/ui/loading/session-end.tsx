import { useSyncExternalStore } from 'react';
import { useApi } from '../../api/api.ts';
import { uiTexts } from '../../texts/ui.ts';
import { SignInAgain } from './sign-in-again.tsx';

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
