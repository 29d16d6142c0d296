import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { budgetTexts } from '../../texts/budgets.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { dollars, shortId } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';
import { ManagedList } from './managed-list.tsx';

type Budget = OperationResponse<'budgets.list'>['data'][number];

/** What calls of models may cost, and what they have cost. */
export function Budgets() {
  const [secret, setSecret] = useState<string>();
  const changes = ['budgets'];
  const onSaved = ({ notify }: Budget) => setSecret(notify.secret);
  return (
    <ManagedList
      title={sharedTexts.budgets}
      of={useCall('budgets.list', { query: { limit: 100 } }, { everyMs: 10_000 })}
      rowsOf={({ data }) => data}
      copyId={budgetTexts.copyBudgetId}
      nameOf={({ name }) => name}
      columns={[
        { title: sharedTexts.name, cell: ({ name }) => <bdi>{name}</bdi> },
        { title: budgetTexts.scope, cell: Payer, isExtra: true },
        { title: budgetTexts.spent, cell: Spent, width: 'wide' },
        {
          title: budgetTexts.resets,
          cell: ({ resetsAt }) => (resetsAt === null ? budgetTexts.never : <Time at={resetsAt} />),
          isExtra: true,
        },
        { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
      ]}
      empty={{ title: budgetTexts.noBudgets, text: <p>{budgetTexts.aboutBudgets}</p> }}
      create={{
        title: budgetTexts.createBudget,
        operation: 'budgets.create',
        value: { scope: { type: 'tenant' }, period: 'month', action: 'block' },
        shown: ['scope', 'period', 'limit', 'action', 'notify'],
        changes,
        onSaved,
      }}
      change={({ id, name, limit, action, alertAt, notify: { webhookUrl, emails } }) => ({
        title: sharedTexts.editNamed(name),
        operation: 'budgets.update',
        params: { id },
        value: { name, limit, action, alertAt, notify: { ...(webhookUrl && { webhookUrl }), emails } },
        changes,
        onSaved,
      })}
      remove={{
        operation: 'budgets.delete',
        counted: budgetTexts.budgetCount,
        question: budgetTexts.nothingLimits,
        changes,
      }}
    >
      <ShownOnceDialog
        title={budgetTexts.signingSecret}
        value={secret}
        onClose={() => setSecret(undefined)}
      />
    </ManagedList>
  );
}

const Payer = ({ scope: { type, id }, period }: Budget) => (
  <>
    {budgetTexts.payers[type]} {id !== undefined && <code title={id}>{shortId(id)}</code>}
    <span className="help"> {budgetTexts.periods[period]}</span>
  </>
);

const Spent = ({ name, spent, limit, uncounted }: Budget) => (
  <>
    <progress
      aria-label={budgetTexts.spentPercent(name)}
      value={Math.min(Number(spent), Number(limit))}
      max={Number(limit)}
    />{' '}
    {budgetTexts.spentOf(dollars(spent), dollars(limit))}
    {uncounted && <span className="help"> {budgetTexts.notCounted}</span>}
  </>
);
