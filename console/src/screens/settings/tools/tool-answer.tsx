import type { AnswerOf } from '../../../api/api.ts';
import { Status } from '../../../ui/status.tsx';
import { count } from '../../../ui/values/format.ts';
import { Value } from '../../../ui/values/value.tsx';

/** What came of a try. */
export const ToolAnswer = ({ answer }: { answer: AnswerOf<'POST /v1/tools/{id}/execute'> }) => (
  <>
    <p role="status" style={{ marginTop: '1rem' }}>
      {answer.status === 'pending' ? (
        'Nothing is sent yet. A run would do this:'
      ) : (
        <>
          <Status of={answer.status} /> after {count(answer.executionTimeMs)} ms
        </>
      )}
      {answer.status === 'waiting_for_local' && ': whoever calls this tool executes it'}
    </p>
    {answer.error !== undefined && (
      <p className="failure">
        <bdi>{answer.error}</bdi>
      </p>
    )}
    {answer.result !== undefined && <Value of={answer.result} label="Result" />}
  </>
);
