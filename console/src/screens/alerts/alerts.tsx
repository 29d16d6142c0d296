import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { AlertDialog } from '../../alerts/alert-dialog.tsx';
import {
  type AlertDraft,
  alertTemplates,
  conditionText,
  createTemplateDraft,
  emptyDraft,
  hasMixedScope,
  type ListedAlert,
  metricText,
  type TemplateName,
  toAlertDraft,
} from '../../alerts/alert-draft.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { useNewInAddress } from '../../routing/new-in-address.ts';
import { alertTexts } from '../../texts/alerts.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { StatusMark } from '../../ui/status.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { Table, type TableColumn } from '../../ui/tables/table.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { Time } from '../../ui/values/time.tsx';
import '../../style/alerts.css';

/** What is watched, how it stands, and what it has told. */
export function Alerts() {
  const alerts = useCall('alerts.list', { query: { limit: 100 } }, { everyMs: 15_000 });
  const { alert: chosenId, schedule }: { alert?: unknown; schedule?: unknown } = useSearch({ strict: false });
  const [isCreating, setCreating] = useNewInAddress();
  const [template, setTemplate] = useState<TemplateName>();
  const navigate = useNavigate();
  const choose = (id: string | undefined) =>
    navigate({ to: '.', search: id === undefined ? {} : { alert: id }, replace: true } as never);
  const begun: AlertDraft = template
    ? createTemplateDraft(template)
    : typeof schedule === 'string'
      ? { ...createTemplateDraft('schedule'), target: schedule }
      : emptyDraft;
  const close = () => {
    setTemplate(undefined);
    setCreating(false);
  };
  const chosen = alerts.data?.data.find(({ id }) => id === chosenId);
  return (
    <ScreenPage
      title={sharedTexts.alerts}
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          {alertTexts.createAlert}
        </Button>
      }
    >
      <Loaded of={alerts}>
        {({ data }) => (
          <div className={chosen ? 'alerts-split' : 'stack'}>
            {chosen && <AlertPanel key={chosen.id} alert={chosen} onClose={() => choose(undefined)} />}
            <div className="stack">
              {typeof chosenId === 'string' && !chosen && <p className="note">{alertTexts.alertIsGone}</p>}
              {data.length === 0 ? (
                <Empty title={alertTexts.noAlerts}>
                  <p>{alertTexts.aboutAlerts}</p>
                </Empty>
              ) : (
                <AlertTable alerts={data} isNarrow={chosen !== undefined} />
              )}
              <Templates onChoose={setTemplate} />
            </div>
          </div>
        )}
      </Loaded>
      <AlertDialog
        title={alertTexts.createAlert}
        draft={isCreating || template ? begun : undefined}
        onClose={close}
        onSaved={({ id }) => choose(id)}
      />
    </ScreenPage>
  );
}

/** Of one that has no state any more. */
const stateOf = ({ enabled, state }: ListedAlert) => (enabled ? state : 'disabled');

const valueText = ({ metric, value }: ListedAlert) => (value === null ? '–' : metricText(metric, value));

const AlertTable = ({ alerts, isNarrow }: { alerts: readonly ListedAlert[]; isNarrow: boolean }) => (
  <Table
    label={sharedTexts.alerts}
    rows={[...alerts.filter(isFiring), ...alerts.filter((alert) => !isFiring(alert))]}
    keyOf={({ id }) => id}
    copyId={alertTexts.copyAlertId}
    columns={[
      {
        title: sharedTexts.name,
        width: 'wide',
        cell: ({ id, name }) => (
          <Link to={`/alerts?alert=${id}`}>
            <bdi>{name}</bdi>
          </Link>
        ),
      },
      { title: alertTexts.state, cell: (alert) => <StatusMark of={stateOf(alert)} /> },
      ...(isNarrow ? [] : moreColumns),
    ]}
  />
);

/** Which a panel beside the table says too. */
const moreColumns: readonly TableColumn<ListedAlert>[] = [
  { title: alertTexts.condition, width: 'wide', cell: conditionText, isExtra: true },
  { title: alertTexts.valueNow, cell: valueText, isNumber: true, isExtra: true },
  { title: alertTexts.since, cell: (alert) => <Since of={alert} />, isExtra: true },
];

/** One that was never evaluated has no time. */
const Since = ({ of: { state, since } }: { of: ListedAlert }) =>
  state === 'no-data' ? '–' : <Time at={since} />;

const isFiring = ({ state, enabled }: ListedAlert) => enabled && state === 'firing';

const Templates = ({ onChoose }: { onChoose: (name: TemplateName) => void }) => (
  <section aria-labelledby="alert-templates">
    <h2 id="alert-templates">{alertTexts.templates}</h2>
    <div className="alert-templates">
      {(Object.keys(alertTemplates) as TemplateName[]).map((name) => (
        <button key={name} type="button" className="card" onClick={() => onChoose(name)}>
          <strong>{alertTexts.templateNames[name]}</strong>
          <span className="help">{alertTexts.templateHelp[name]}</span>
        </button>
      ))}
    </div>
  </section>
);

interface PanelProps {
  alert: ListedAlert;
  onClose: () => void;
}

/** One alert: what it is, what it told, and what can be done with it. */
function AlertPanel({ alert, onClose }: PanelProps) {
  const { id, name, enabled } = alert;
  const [draft, setDraft] = useState<AlertDraft>();
  const params = { id };
  const update = useAction('alerts.update');
  const remove = useAction('alerts.delete', {
    onSuccess() {
      notify(alertTexts.alertDeleted);
      onClose();
    },
  });
  const test = useAction('alerts.test', {
    changes: [],
    onSuccess: ({ messages }) => notify(alertTexts.testSent(messages)),
  });
  const error = update.error ?? test.error;
  return (
    <section className="card alert-panel" aria-labelledby="alert-name">
      <header className="alert-panel-head">
        <h2 id="alert-name">
          <bdi>{name}</bdi>
        </h2>
        <Button look="quiet" onPress={onClose} aria-label={alertTexts.closeAlert}>
          ×
        </Button>
      </header>
      <p>{conditionText(alert)}</p>
      <Facts of={factsOf(alert)} />
      <div className="actions">
        {!hasMixedScope(alert) && (
          <Button onPress={() => setDraft(toAlertDraft(alert))}>{sharedTexts.edit}</Button>
        )}
        <Button isPending={test.isPending} onPress={() => test.mutate({ params })}>
          {alertTexts.sendTest}
        </Button>
        <Button
          isPending={update.isPending}
          onPress={() => update.mutate({ params, body: { enabled: !enabled } })}
        >
          {enabled ? alertTexts.disable : alertTexts.enable}
        </Button>
        <ConfirmButton
          title={sharedTexts.deleteQuestion(name)}
          question={alertTexts.deleteQuestion}
          confirm={sharedTexts.delete}
          action={() => remove.mutateAsync({ params })}
        >
          {sharedTexts.delete}
        </ConfirmButton>
      </div>
      {error && <FailureNotice error={error} />}
      <History alert={alert} />
      <AlertDialog
        title={sharedTexts.editNamed(name)}
        draft={draft}
        id={id}
        onClose={() => setDraft(undefined)}
      />
    </section>
  );
}

function factsOf(alert: ListedAlert): [string, React.ReactNode][] {
  const { id, scope, notify } = alert;
  const receivers = [
    ...notify.emails,
    ...(notify.webhookUrl === undefined ? [] : [hostOf(notify.webhookUrl)]),
  ];
  const [kind = 'all', target] = Object.entries(scope)[0] ?? [];
  return [
    [alertTexts.state, <StatusMark key="state" of={stateOf(alert)} />],
    [alertTexts.valueNow, valueText(alert)],
    [alertTexts.since, <Since key="since" of={alert} />],
    [alertTexts.ofWhat, kind === 'all' ? alertTexts.scopes.all : <code key="of">{target}</code>],
    [alertTexts.tells, receivers.join(', ') || alertTexts.nobody],
    [sharedTexts.id, <ShownId key="id" id={id} label={alertTexts.copyAlertId} />],
  ];
}

/** The path of a webhook of a chat is its secret. */
const hostOf = (url: string) => URL.parse(url)?.hostname ?? alertTexts.aWebhook;

function History({ alert: { id, metric } }: { alert: ListedAlert }) {
  const history = useCall('alerts.history', { params: { id } }, { everyMs: 30_000 });
  return (
    <section aria-labelledby="alert-history">
      <h3 id="alert-history">{alertTexts.history}</h3>
      <Loaded of={history}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="help">{alertTexts.noHistory}</p>
          ) : (
            <ol className="alert-history">
              {data.slice(0, 50).map(({ type, at, value }) => (
                <li key={`${at} ${type}`} className={type}>
                  {alertTexts.eventAt(
                    <strong>{alertTexts.events[type]}</strong>,
                    value === null ? alertTexts.noData : alertTexts.atValue(metricText(metric, value)),
                    <Time at={at} />,
                  )}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}
