import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api.ts';
import { useOnceAtATime } from '../../api/once-at-a-time.ts';
import { refresh } from '../../api/queries.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { notify } from '../../ui/notices.tsx';

/** Creates sample records of a type that no record had. */
export function LoadSamples({ onLoaded }: { onLoaded?: (type: string) => unknown }) {
  const api = useApi();
  const queries = useQueryClient();
  const [state, setState] = useState<'loading' | Error>();
  const load = useOnceAtATime(async (_what: 'samples') => {
    setState('loading');
    try {
      const { loadSamples } = await import('../../templates/create/load-samples.ts');
      const type = await loadSamples(api);
      notify(sharedTexts.sampleRecordsCreated);
      await refresh(queries, ['records']);
      await onLoaded?.(type);
      setState(undefined);
    } catch (error) {
      setState(error as Error);
    }
  });
  return (
    <div>
      <Button isPending={state === 'loading'} onPress={() => load('samples')}>
        {sharedTexts.loadSampleData}
      </Button>
      {state instanceof Error && <FailureNotice error={state} />}
    </div>
  );
}
