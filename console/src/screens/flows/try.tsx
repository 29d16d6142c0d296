import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useCallOptions } from '../../api/queries.ts';
import { FlowRunView } from '../../run/flow-run-view.tsx';
import type { DispatchRunBody } from '../../run/use-dispatch.ts';
import { useFlowRun } from '../../run/use-flow-run.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Choice } from '../../ui/forms/choice.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { chosenRecord, initialSampleChoice, SampleRecord } from './data/sample-record.tsx';
import { FlowPage, useFlow } from './flow-page.tsx';
import { stepTypeLabel } from './steps/step-types.ts';
import { asSteps } from './steps/steps.ts';
import '../../style/runs.css';

/** Runs the flow once, and shows what each step does. */
export function TryFlow() {
  const { flow } = useFlow();
  return (
    <FlowPage>
      <Loaded of={flow}>{(loaded) => <Try key={loaded.id} flow={loaded} />}</Loaded>
    </FlowPage>
  );
}

function Try({ flow }: { flow: OperationResponse<'flows.get'> }) {
  const [sample, setSample] = useState(initialSampleChoice);
  const [steps, setSteps] = useState<'draft' | 'published'>('draft');
  const { run, isRunning, error, start, stop } = useFlowRun();
  const record = chosenRecord(sample);
  const queries = useQueryClient();
  const stored = useCallOptions('flows.get', { params: { id: flow.id } });
  /** With the steps as they are stored now: somebody may have saved others elsewhere. */
  async function request() {
    const draft = steps === 'draft' && {
      steps: asSteps((await queries.fetchQuery({ ...stored, staleTime: 0 })).flowSteps),
    };
    return {
      flow: { id: flow.id, ...draft },
      ...(record && { record }),
      options: { debugMode: true, storeResults: false },
    } as DispatchRunBody;
  }
  return (
    <div className="runs-try">
      <div className="runs-form">
        <Choice
          label={sharedTexts.steps}
          value={steps}
          options={[
            { value: 'draft', label: sharedTexts.draft },
            { value: 'published', label: sharedTexts.publishedVersion },
          ]}
          onChange={setSteps}
        />
        <SampleRecord value={sample} onChange={setSample} />
        <p className="help">{flowTexts.stepsReallyRun}</p>
        <div className="actions">
          <Button
            look="primary"
            isDisabled={flow.flowSteps.length === 0 || (sample.source === 'stored' && !record)}
            isPending={isRunning}
            onPress={() => start(request)}
          >
            {sharedTexts.run}
          </Button>
          {isRunning && <Button onPress={stop}>{sharedTexts.stop}</Button>}
        </div>
      </div>
      <div>
        {error && <FailureNotice error={error} />}
        {run && !error ? (
          <FlowRunView run={run} isRunning={isRunning} typeLabel={stepTypeLabel} />
        ) : (
          !error && (
            <Empty title={flow.flowSteps.length === 0 ? flowTexts.flowHasNoSteps : sharedTexts.notRunYet}>
              <p>{flowTexts.aboutTrying}</p>
            </Empty>
          )
        )}
      </div>
    </div>
  );
}
