import type { OperationResponse } from '../../../api/api.ts';
import { settingsTexts } from '../../../texts/settings.ts';
import { StatusLabel } from '../../../ui/status.tsx';
import { Value } from '../../../ui/values/value.tsx';

/** What came of a try. */
export const ToolAnswer = ({ answer }: { answer: OperationResponse<'tool-runs.execute'> }) => (
  <>
    <p role="status" style={{ marginTop: '1rem' }}>
      {answer.status === 'pending'
        ? settingsTexts.nothingSentYet
        : (answer.status === 'waiting_for_local'
            ? settingsTexts.callerExecutesTool
            : settingsTexts.statusAfter)(<StatusLabel of={answer.status} />, answer.executionTimeMs)}
    </p>
    {answer.error !== undefined && (
      <p className="failure">
        <bdi>{answer.error}</bdi>
      </p>
    )}
    {answer.result !== undefined && <Value of={answer.result} label={settingsTexts.result} />}
  </>
);
