import { useState } from 'react';
import { type OperationResponse, useApi } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { workspaceTexts } from '../../../texts/workspace.ts';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { SettingsPage } from '../layout/settings-page.tsx';
import { Applied } from './applied.tsx';
import { ApplyPlan } from './apply-plan.tsx';
import { ImportForm } from './import-form.tsx';
import { type Input, isSameInput, type Planned } from './plan.ts';
import { PlanView } from './plan-view.tsx';
import '../../../style/workspace.css';
import { Button } from '../../../ui/forms/button.tsx';
import { Segments } from '../../../ui/forms/segments.tsx';
import { copyText } from '../../../ui/forms/use-copy.ts';
import { notify } from '../../../ui/notices.tsx';
import { download } from '../../../ui/values/download.ts';

const nothing: Input = { document: '', prune: false, publish: false };

/** The workspace as a document: take it out, or see what another one would change, and apply it. */
export function Workspace() {
  const [input, setInput] = useState(nothing);
  const [planned, setKnown] = useState<{ input: Input; plan: Planned }>();
  const [applied, setApplied] = useState<OperationResponse<'workspace.apply'>>();
  const planning = useAction('workspace.plan', {
    changes: [],
    onSuccess: (plan, { body }) => setKnown({ input: body as Input, plan }),
  });

  function plan() {
    setKnown(undefined);
    planning.mutate({ body: input });
  }
  function begin() {
    setApplied(undefined);
    setKnown(undefined);
    setInput(nothing);
  }

  return (
    <SettingsPage title={sharedTexts.workspace}>
      <p className="help">{workspaceTexts.aboutWorkspace}</p>
      <ExportCard />
      {applied ? (
        <Applied result={applied} onClose={begin} />
      ) : (
        <>
          <ImportForm input={input} onChange={setInput} onPlan={plan} isPending={planning.isPending} />
          {planning.isPending && <Loading what={workspaceTexts.planning} />}
          {planning.error && !planning.isPending && <FailureNotice error={planning.error} />}
          {planned && (
            <PlanView plan={planned.plan}>
              <ApplyPlan
                {...planned}
                isStale={!isSameInput(planned.input, input)}
                onPlanAgain={plan}
                onApplied={setApplied}
              />
            </PlanView>
          )}
        </>
      )}
    </SettingsPage>
  );
}

type Format = 'yaml' | 'json';

const formats = [
  { value: 'yaml', label: workspaceTexts.formats.yaml },
  { value: 'json', label: workspaceTexts.formats.json },
] as const;

/** The document of what is here. It is read anew each time. */
function ExportCard() {
  const { call } = useApi();
  const [format, setFormat] = useState<Format>('yaml');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error>();

  async function take(use: (text: string) => unknown) {
    setPending(true);
    setError(undefined);
    try {
      const headers = { accept: `application/${format}` };
      const document: unknown = await call('workspace.get', { headers });
      await use(typeof document === 'string' ? document : `${JSON.stringify(document, undefined, 2)}\n`);
    } catch (caught) {
      setError(caught as Error);
    } finally {
      setPending(false);
    }
  }
  const copy = async (text: string) => (await copyText(text)) && notify(workspaceTexts.documentCopied);
  const save = (text: string) => download(text, `workspace.${format}`, `application/${format}`);

  return (
    <section className="card workspace-export" aria-labelledby="export">
      <div>
        <h2 id="export">{workspaceTexts.export}</h2>
        <p className="help">{workspaceTexts.aboutExport}</p>
      </div>
      <div className="actions">
        <Segments label={workspaceTexts.format} value={format} options={formats} onChange={setFormat} />
        <Button onPress={() => take(copy)} isPending={isPending}>
          {workspaceTexts.copyDocument}
        </Button>
        <Button onPress={() => take(save)} isPending={isPending}>
          {workspaceTexts.download}
        </Button>
      </div>
      {error && <FailureNotice error={error} />}
    </section>
  );
}
