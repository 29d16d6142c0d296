import { type FormEvent, useState } from 'react';
import type { OperationResponse } from '../api/api.ts';
import { useAction } from '../api/queries.ts';
import { targetFields } from '../screens/products/parts/pickers.tsx';
import { alertTexts } from '../texts/alerts.ts';
import { sharedTexts } from '../texts/shared.ts';
import { useHeldDialog } from '../ui/dialogs/dialog.tsx';
import { Button } from '../ui/forms/button.tsx';
import { Choice } from '../ui/forms/choice.tsx';
import { TextField } from '../ui/forms/field.tsx';
import { FailureNotice } from '../ui/loading/failure.tsx';
import { fieldProblems } from '../ui/loading/failure-text.ts';
import {
  type AlertDraft,
  type Metric,
  needsNoRuns,
  type ScopeKind,
  toBody,
  windowText,
} from './alert-draft.ts';
import '../style/alerts.css';

export type SavedAlert = OperationResponse<'alerts.create'>;

interface Props {
  draft: AlertDraft;
  /** The alert that is changed. Without it, one is created. */
  id?: string | undefined;
  onClose: () => void;
  onSaved: (alert: SavedAlert) => void;
}

const optionsOf = <Value extends string>(texts: Readonly<Record<Value, string>>) =>
  (Object.entries(texts) as [Value, string][]).map(([value, label]) => ({ value, label }));

const usualWindows = Object.keys(alertTexts.windows).map(Number);

/** Creates or changes an alert: when, of what, and who is told. */
export function AlertForm({ draft: first, id, onClose, onSaved }: Props) {
  const [draft, setDraft] = useState(first);
  const [isTouched, setTouched] = useState(false);
  const put = (change: Partial<AlertDraft>) => {
    setTouched(true);
    setDraft({ ...draft, ...change });
  };
  useHeldDialog(isTouched);
  const create = useAction('alerts.create', { onSuccess: onSaved });
  const update = useAction('alerts.update', { onSuccess: onSaved });
  const save = id === undefined ? create : update;
  const problems = fieldProblems(save.error);
  function submit(event: FormEvent) {
    event.preventDefault();
    if (id === undefined) create.mutate({ body: toBody(draft) });
    else update.mutate({ params: { id }, body: toBody(draft) });
  }
  const { metric, direction } = draft;
  return (
    <form onSubmit={submit} className="alert-form">
      <div className="alert-condition">
        <Choice
          label={alertTexts.whenWhat}
          value={metric}
          options={optionsOf<Metric>(alertTexts.metrics)}
          onChange={(next) =>
            put({ metric: next, ...(next === 'waiting' && isOfRuns(draft.scope) && { scope: 'all' }) })
          }
        />
        <Choice
          label={alertTexts.isWhat}
          value={direction}
          options={[
            { value: 'above', label: alertTexts.above },
            { value: 'below', label: alertTexts.below },
          ]}
          onChange={(next) => put({ direction: next })}
        />
        <TextField
          label={alertTexts.bound(alertTexts.units[metric])}
          inputMode="decimal"
          isRequired
          value={draft.bound}
          onChange={(bound) => put({ bound })}
          problem={problems[direction]}
        />
        {metric !== 'waiting' && (
          <Choice
            label={alertTexts.inTheLast}
            value={String(draft.windowMinutes)}
            options={[...new Set([...usualWindows, draft.windowMinutes])]
              .toSorted((one, other) => one - other)
              .map((minutes) => ({ value: String(minutes), label: windowText(minutes) }))}
            onChange={(next) => put({ windowMinutes: Number(next) })}
            problem={problems.windowMinutes}
          />
        )}
      </div>
      <ScopeFields draft={draft} put={put} problems={problems} />
      {!needsNoRuns(metric) && (
        <TextField
          label={alertTexts.minRuns}
          help={alertTexts.minRunsHelp}
          inputMode="numeric"
          value={draft.minRuns}
          onChange={(minRuns) => put({ minRuns })}
          problem={problems.minRuns}
        />
      )}
      <fieldset>
        <legend>{alertTexts.tellWhom}</legend>
        <TextField
          label={alertTexts.emails}
          help={alertTexts.emailsHelp}
          lines={2}
          value={draft.emails}
          onChange={(emails) => put({ emails })}
          problem={firstBelow(problems, 'notify.emails')}
        />
        <TextField
          label={alertTexts.webhook}
          help={alertTexts.webhookHelp}
          type="url"
          value={draft.webhookUrl}
          onChange={(webhookUrl) => put({ webhookUrl })}
          problem={problems['notify.webhookUrl']}
        />
        {draft.webhookUrl.trim() !== '' && (
          <Choice
            label={alertTexts.format}
            value={draft.webhookFormat}
            options={optionsOf<AlertDraft['webhookFormat']>(alertTexts.formats)}
            onChange={(webhookFormat) => put({ webhookFormat })}
          />
        )}
        {draft.emails.trim() === '' && draft.webhookUrl.trim() === '' && (
          <p className="help">{alertTexts.tellsNobody}</p>
        )}
      </fieldset>
      <TextField
        label={sharedTexts.name}
        value={draft.name}
        onChange={(name) => put({ name })}
        placeholder={safeName(draft)}
        problem={problems.name}
      />
      {save.error && <FailureNotice error={save.error} />}
      <div className="actions">
        <Button onPress={onClose} isPending={save.isPending}>
          {sharedTexts.cancel}
        </Button>
        <Button
          type="submit"
          look="primary"
          isPending={save.isPending}
          isDisabled={draft.bound.trim() === ''}
        >
          {id === undefined ? sharedTexts.create : sharedTexts.save}
        </Button>
      </div>
    </form>
  );
}

/** Scopes that open questions do not have. */
const isOfRuns = (scope: ScopeKind) => ['schedule', 'surface', 'model', 'batches', 'tools'].includes(scope);

/** The name that it gets without one. */
const safeName = (draft: AlertDraft) => toBody({ ...draft, name: '' }).name;

const firstBelow = (problems: Readonly<Record<string, string>>, path: string) =>
  Object.entries(problems).find(([each]) => each === path || each.startsWith(`${path}.`))?.[1];

interface ScopeProps {
  draft: AlertDraft;
  put: (change: Partial<AlertDraft>) => void;
  problems: Readonly<Record<string, string>>;
}

function ScopeFields({ draft: { metric, scope, target }, put, problems }: ScopeProps) {
  const options = optionsOf<ScopeKind>(alertTexts.scopes).filter(
    ({ value }) => metric !== 'waiting' || !isOfRuns(value),
  );
  return (
    <div className="alert-scope">
      <Choice
        label={alertTexts.ofWhat}
        value={scope}
        options={options}
        onChange={(next) => put({ scope: next, target: '' })}
      />
      {(scope === 'flow' || scope === 'agent') &&
        targetFields({
          path: '',
          name: `${scope}Id`,
          label: '',
          schema: {},
          value: target,
          onChange: (next) => put({ target: String(next ?? '') }),
          problem: problems[`scope.${scope}Id`],
        })}
      {scope === 'schedule' && (
        <TextField
          label={alertTexts.scheduleId}
          isRequired
          value={target}
          onChange={(next) => put({ target: next })}
          problem={problems['scope.scheduleId']}
        />
      )}
      {scope === 'surface' && (
        <TextField
          label={alertTexts.surfaceId}
          isRequired
          value={target}
          onChange={(next) => put({ target: next })}
          problem={problems['scope.surfaceId']}
        />
      )}
      {scope === 'model' && (
        <TextField
          label={alertTexts.modelName}
          help={alertTexts.modelHelp}
          isRequired
          value={target}
          onChange={(next) => put({ target: next })}
          problem={problems['scope.model']}
        />
      )}
    </div>
  );
}
