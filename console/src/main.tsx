import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useMemo } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProvider, createApi } from './api/api.ts';
import type { Credential } from './session/credential.ts';
import { router } from './shell/router.tsx';
import { SessionGate } from './sign-in/session-gate.tsx';
import '@fontsource-variable/geist/wght.css';
import './style/tokens.css';
import './style/base.css';
import './style/controls.css';
import './style/forms.css';
import './style/menus.css';
import './style/shell.css';
import './style/tables.css';

// Before the next event: a second click finds its button pending already.
notifyManager.setScheduler(queueMicrotask);

const queries = new QueryClient({
  // The client of the API retries.
  defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: false } },
});

function SignedIn({ credential }: { credential: Credential }) {
  const api = useMemo(() => createApi(credential), [credential]);
  return (
    <ApiProvider value={api}>
      <RouterProvider router={router} />
    </ApiProvider>
  );
}

// A page that the browser kept would bring back the tokens of one who signed out.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());

const target = document.getElementById('console');
if (target)
  createRoot(target).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <SessionGate>{(credential) => <SignedIn credential={credential} />}</SessionGate>
      </QueryClientProvider>
    </StrictMode>,
  );
