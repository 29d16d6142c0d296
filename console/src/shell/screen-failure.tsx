import type { ErrorComponentProps } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';

/** In the place of a screen that failed; the menu stays. */
export const ScreenFailure = ({ error, reset }: ErrorComponentProps) => (
  <Page title="This screen failed">
    <Failure error={error as Error} onRetry={reset} />
    <p>If it fails again, there may be a newer version of the console.</p>
    <Button onPress={() => location.reload()}>Reload the page</Button>
  </Page>
);
