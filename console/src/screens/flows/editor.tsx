import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { editorTexts } from '../../texts/flow-editor.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { LeaveQuestion } from '../../ui/dialogs/leave-question.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Segments } from '../../ui/forms/segments.tsx';
import { useKeptChoice } from '../../ui/kept-choice.ts';
import { Failure } from '../../ui/loading/failure.tsx';
import { Loading } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { useCarefulSave } from '../../ui/resource/careful-save.tsx';
import { type Begun, EditFresh } from '../../ui/resource/edit-fresh.tsx';
import { EditingProvider } from './data/editing.tsx';
import { CheckSummary } from './editor/check-summary.tsx';
import { EditFlow, useEdits } from './editor/edits.ts';
import { StepsEditor } from './editor/steps-editor.tsx';
import { SampleType } from './editor/suggestions.ts';
import { useFindings } from './editor/use-findings.ts';
import { FlowPage, useFlow } from './flow-page.tsx';
import { SampleTypeChoice } from './sample-type-choice.tsx';
import { asSteps, type Step } from './steps/steps.ts';
import '../../style/flows.css';

const GraphEditor = lazy(async () => ({ default: (await import('./graph/graph-editor.tsx')).GraphEditor }));

const views = [
  { value: 'list', label: editorTexts.list },
  { value: 'graph', label: editorTexts.graph },
] as const;

/** The steps of a flow. Saving changes the draft; publishing puts the draft to use. */
export function FlowEditor() {
  const { id } = useFlow();
  return (
    <FlowPage>
      <EditFresh key={id} route="GET /v1/flows/{id}" request={{ params: { id } }}>
        {(begun) => <Editor {...begun} />}
      </EditFresh>
    </FlowPage>
  );
}

type Flow = AnswerOf<'GET /v1/flows/{id}'>;

function Editor(begun: Begun<Flow>) {
  const { stored: flow } = begun;
  const [{ steps, saved, past, future }, edit] = useEdits(asSteps(flow.flowSteps));
  const [type, setType] = useState('');
  const [view, setView] = useKeptChoice('steps-view', ['list', 'graph']);
  const check = useFindings(flow.name, steps);
  const { findings } = check;
  const isChanged = steps !== saved;
  const put = useAction('PUT /v1/flows/{id}');
  const publish = useAction('POST /v1/flows/{id}/publish', { changes: ['flows', 'flow-versions'] });

  const { save, unchanged, isPending, problem } = useCarefulSave({
    ...begun,
    contentOf: ({ flowSteps }) => flowSteps,
    async write() {
      const stored = await put.mutateAsync({ params: { id: flow.id }, body: { flowSteps: steps as never } });
      edit({ type: 'saved', steps });
      notify(sharedTexts.draftSaved);
      return stored;
    },
  });

  const putToUse = useMutation({
    async mutationFn() {
      await (isChanged ? save() : unchanged());
      await publish.mutateAsync({ params: { id: flow.id } });
      notify(editorTexts.published);
    },
  });
  const isBusy = isPending || putToUse.isPending;
  const setSteps = (next: readonly Step[], what?: string) =>
    edit({ type: 'set', steps: next, ...(what && { what }) });

  return (
    <SampleType value={type}>
      <div className="row flows-bar">
        <Button
          look="primary"
          isDisabled={!isChanged}
          isPending={isBusy}
          onPress={() => save().catch(ignore)}
        >
          {sharedTexts.save}
        </Button>
        <Button isPending={isBusy} onPress={() => putToUse.mutate()}>
          {isChanged ? editorTexts.saveAndPublish : sharedTexts.publish}
        </Button>
        <Button look="quiet" isDisabled={past.length === 0} onPress={() => edit({ type: 'undo' })}>
          {sharedTexts.undo}
        </Button>
        <Button look="quiet" isDisabled={future.length === 0} onPress={() => edit({ type: 'redo' })}>
          {editorTexts.redo}
        </Button>
        <CheckSummary {...check} />
        <Segments label={editorTexts.viewOfSteps} value={view} options={views} onChange={setView} />
      </div>
      {problem}
      {publish.error && <Failure error={publish.error} />}
      {findings.general.map((message) => (
        <p key={message} className="note">
          {message}
        </p>
      ))}
      <SampleTypeChoice type={type} onChange={setType} />
      <EditFlow value={edit}>
        <EditingProvider flow={flow} steps={steps}>
          {view === 'graph' ? (
            <Suspense fallback={<Loading />}>
              <GraphEditor flowId={flow.id} {...{ steps, findings }} onChange={setSteps} />
            </Suspense>
          ) : (
            <StepsEditor
              {...{ steps, findings }}
              label={sharedTexts.steps}
              path="flowSteps"
              known={[]}
              onChange={setSteps}
            />
          )}
        </EditingProvider>
      </EditFlow>
      <LeaveQuestion isChanged={isChanged}>{editorTexts.unsavedChangesOfFlow}</LeaveQuestion>
    </SampleType>
  );
}

/** Shown already. */
const ignore = () => {};
