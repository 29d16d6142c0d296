import { SessionEnded } from '../../session/credential.ts';
import { Button } from '../forms/button.tsx';
import { explained } from './failure-text.ts';
import { SessionEndFailure } from './session-end.tsx';

/** What went wrong, and what to do next. */
export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  if (error instanceof SessionEnded) return <SessionEndFailure error={error} />;
  const { title, lines } = explained(error);
  return (
    <div role="alert" className="failure">
      <strong>{title}</strong>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {onRetry && <Button onPress={onRetry}>Try again</Button>}
    </div>
  );
}
