import type { ErrorComponentProps } from '@tanstack/react-router';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/forms/button.tsx';
import { FailureNotice } from '../ui/loading/failure.tsx';
import { ScreenPage } from '../ui/page.tsx';

/** In the place of a screen that could not be loaded or shown. A reload also gets the newest version of the console. */
export const ScreenFailure = ({ error, reset }: ErrorComponentProps) => (
  <ScreenPage title={shellTexts.pageNotLoaded}>
    <div className="stack">
      <FailureNotice error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
      <div className="actions">
        <Button onPress={() => location.reload()}>{shellTexts.reloadPage}</Button>
      </div>
    </div>
  </ScreenPage>
);
