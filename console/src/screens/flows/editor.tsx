import { lazy, type ReactNode, Suspense } from 'react';
import { editorTexts } from '../../texts/flow-editor.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { LeaveQuestion } from '../../ui/dialogs/leave-question.tsx';
import { useKeptChoice } from '../../ui/kept-choice.ts';
import { Loading } from '../../ui/loading/loaded.tsx';
import { type BegunEdit, EditFresh } from '../../ui/resource/edit-fresh.tsx';
import { EditingProvider, useSampleRecord } from './data/editing.tsx';
import { EditorBar } from './editor/editor-bar.tsx';
import { EditFlow, useEdits } from './editor/edits.ts';
import { StepsEditor } from './editor/steps-editor.tsx';
import { SampleType } from './editor/suggestions.ts';
import { useFindings } from './editor/use-findings.ts';
import { type Flow, useFlowSaving } from './editor/use-flow-saving.tsx';
import { FlowPage, useFlow } from './flow-page.tsx';
import { asSteps, type Step } from './steps/steps.ts';
import '../../style/flows.css';
import { isObject } from '../../ui/values/schema.ts';

const GraphEditor = lazy(async () => ({ default: (await import('./graph/graph-editor.tsx')).GraphEditor }));

/** The steps of a flow. Saving changes the draft; publishing puts the draft to use. */
export function FlowEditor() {
  const { id } = useFlow();
  return (
    <FlowPage>
      <EditFresh key={id} operation="flows.get" request={{ params: { id } }}>
        {(begun) => <Editor {...begun} />}
      </EditFresh>
    </FlowPage>
  );
}

function Editor(begun: BegunEdit<Flow>) {
  const { stored: flow } = begun;
  const [{ steps, saved, past, future }, edit] = useEdits(asSteps(flow.flowSteps));
  const [view, setView] = useKeptChoice('steps-view', ['list', 'graph']);
  const check = useFindings(flow.name, steps);
  const { findings } = check;
  const isChanged = steps !== saved;
  const saving = useFlowSaving(begun, steps, () => edit({ type: 'saved', steps }));
  const setSteps = (next: readonly Step[], what?: string) =>
    edit({ type: 'set', steps: next, ...(what && { what }) });

  return (
    <>
      <EditorBar
        flow={flow}
        isChanged={isChanged}
        saving={saving}
        check={check}
        edit={edit}
        view={view}
        setView={setView}
        canUndo={past.length > 0}
        canRedo={future.length > 0}
      />
      {saving.problem}
      {findings.general.map((message) => (
        <p key={message} className="note">
          {message}
        </p>
      ))}
      <EditFlow value={edit}>
        <EditingProvider flow={flow} steps={steps}>
          <WithSuggestions>
            {view === 'graph' ? (
              <Suspense fallback={<Loading />}>
                <GraphEditor flowId={flow.id} steps={steps} findings={findings} onChange={setSteps} />
              </Suspense>
            ) : (
              <StepsEditor
                steps={steps}
                findings={findings}
                label={sharedTexts.steps}
                path="flowSteps"
                known={[]}
                onChange={setSteps}
              />
            )}
          </WithSuggestions>
        </EditingProvider>
      </EditFlow>
      <LeaveQuestion isChanged={isChanged}>{editorTexts.unsavedChangesOfFlow}</LeaveQuestion>
    </>
  );
}

/** The fields of the sample record are what the editors of templates suggest. */
function WithSuggestions({ children }: { children: ReactNode }) {
  const { seen } = useSampleRecord();
  const type = isObject(seen) && typeof seen.type === 'string' ? seen.type : '';
  return <SampleType value={type}>{children}</SampleType>;
}
