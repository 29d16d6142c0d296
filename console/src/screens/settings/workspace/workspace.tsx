import { useState } from 'react';
import type { OperationResponse } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { workspaceTexts } from '../../../texts/workspace.ts';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { SettingsPage } from '../layout/settings-page.tsx';
import { Applied } from './applied.tsx';
import { ApplyPlan } from './apply-plan.tsx';
import { ExportCard } from './export-card.tsx';
import { ImportForm } from './import-form.tsx';
import { type Input, isSameInput, type Planned } from './plan.ts';
import { PlanView } from './plan-view.tsx';
import '../../../style/workspace.css';

const nothing: Input = { document: '', prune: false, publish: false };

/** The workspace as a document: take it out, or see what another one would change, and apply it. */
export function Workspace() {
  const [input, setInput] = useState(nothing);
  const [known, setKnown] = useState<{ input: Input; plan: Planned }>();
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
          {known && (
            <PlanView plan={known.plan}>
              <ApplyPlan
                {...known}
                isStale={!isSameInput(known.input, input)}
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
