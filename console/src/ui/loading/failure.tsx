import { ApiError } from '../../../../packages/client/src/client.ts';
import { SessionEnded } from '../../session/credential.ts';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { CopyButton } from '../forms/copy-button.tsx';
import { explained } from './failure-text.ts';
import { SessionEndFailure } from './session-end.tsx';

/** What went wrong, what to do next, and the request that whoever helps has to find. */
export function FailureNotice({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  if (error instanceof SessionEnded) return <SessionEndFailure error={error} />;
  const { title, lines } = explained(error);
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div role="alert" className="failure">
      <strong>{title}</strong>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {onRetry && <Button onPress={onRetry}>{uiTexts.tryAgain}</Button>}
      {requestId && (
        <p>
          {uiTexts.requestId(<code>{requestId}</code>)}{' '}
          <CopyButton text={requestId} label={uiTexts.copyRequestId} />
        </p>
      )}
    </div>
  );
}
