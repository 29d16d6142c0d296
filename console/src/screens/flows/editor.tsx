import { useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { LeaveQuestion } from '../../ui/leave-question.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { useEdits } from './edits.ts';
import { FlowPage, useFlow } from './flow-page.tsx';
import { SampleTypeChoice } from './sample-type-choice.tsx';
import { asSteps } from './steps.ts';
import { StepsEditor } from './steps-editor.tsx';
import { SampleType } from './suggestions.ts';
import { useFindings } from './use-findings.ts';
import '../../style/flows.css';

/** The steps of a flow. Saving changes the draft; publishing puts the draft to use. */
export function FlowEditor() {
  const { flow } = useFlow();
  return (
    <FlowPage>
      <Loaded of={flow}>{(loaded) => <Editor key={loaded.id} flow={loaded} />}</Loaded>
    </FlowPage>
  );
}

function Editor({ flow }: { flow: AnswerOf<'GET /v1/flows/{id}'> }) {
  const [{ steps, saved, past, future }, edit] = useEdits(asSteps(flow.flowSteps));
  const [type, setType] = useState('');
  const findings = useFindings(flow.name, steps);
  const isChanged = steps !== saved;
  const save = useAction('PUT /v1/flows/{id}');
  const publish = useAction('POST /v1/flows/{id}/publish', { changes: ['flows', 'flow-versions'] });

  async function store() {
    const sent = steps;
    await save.mutateAsync({ params: { id: flow.id }, body: { flowSteps: sent as never } });
    edit({ type: 'saved', steps: sent });
  }
  async function putToUse() {
    if (isChanged) await store();
    await publish.mutateAsync({ params: { id: flow.id } });
    notify('Published: runs use these steps from now on');
  }

  return (
    <SampleType value={type}>
      <div className="row flows-bar">
        <Button
          look="primary"
          isDisabled={!isChanged}
          isPending={save.isPending}
          onPress={() => store().then(() => notify('Saved as the draft'), ignore)}
        >
          Save
        </Button>
        <Button isPending={publish.isPending} onPress={() => putToUse().catch(ignore)}>
          {isChanged ? 'Save and publish' : 'Publish'}
        </Button>
        <Button look="quiet" isDisabled={past.length === 0} onPress={() => edit({ type: 'undo' })}>
          Undo
        </Button>
        <Button look="quiet" isDisabled={future.length === 0} onPress={() => edit({ type: 'redo' })}>
          Redo
        </Button>
        <span role="status" className="help">
          {summaryOf(findings.errors, findings.warnings)}
        </span>
      </div>
      {save.error && <Failure error={save.error} />}
      {publish.error && <Failure error={publish.error} />}
      {findings.general.map((message) => (
        <p key={message} className="note">
          {message}
        </p>
      ))}
      <SampleTypeChoice type={type} onChange={setType} />
      <StepsEditor
        {...{ steps, findings }}
        label="Steps"
        path="flowSteps"
        known={[]}
        onChange={(next, what) => edit({ type: 'set', steps: next, ...(what && { what }) })}
      />
      <LeaveQuestion isChanged={isChanged} what="The flow" />
    </SampleType>
  );
}

/** Shown by `Failure` already. */
const ignore = () => {};

function summaryOf(errors: number, warnings: number): string {
  if (errors + warnings === 0) return 'No findings';
  const words = [errors > 0 && `${errors} to correct`, warnings > 0 && `${warnings} to look at`];
  return words.filter(Boolean).join(', ');
}
